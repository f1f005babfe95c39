#include "host/compiler/units/lowered_graph.h"

#include "host/compiler/units/kept_values.h"
#include "host/compiler/units/unit_order.h"
#include "host/compiler/units/units.h"

namespace systole::lowering {

namespace {

LoweredGraph cut(std::unique_ptr<graph::Graph> simple, int lanes,
                 const std::set<std::string>& resident) {
  KeptValues kept = find_kept(*simple, lanes, resident);
  cut_units(kept);
  order_units(kept.lowered, *simple);
  LoweredGraph lowered = std::move(kept.lowered);
  lowered.taps = std::move(kept.around.taps);
  lowered.graph = std::move(simple);
  return lowered;
}

}  // namespace

LoweredGraph lower_graph(const graph::Graph& graph, const DeviceSizes& sizes,
                         const std::set<std::string>& resident,
                         const std::optional<Quantization>& quantization, const AfterPass& after) {
  PassContext context{.sizes = sizes, .quantization = quantization};
  try {
    return cut(run_passes(passes(), graph, context, after), sizes.array_size, resident);
  } catch (const graph::GraphError&) {
    // Rows that other operations need as they are; or an error that comes again.
    context.folds_rows = false;
    return cut(run_passes(passes(), graph, context, after), sizes.array_size, resident);
  }
}

int LoweredGraph::replaced_by(int value) const {
  for (const graph::Input& input : graph->inputs()) {
    if (input.updated_by < 0) continue;
    const int next = graph->outputs()[static_cast<std::size_t>(input.updated_by)].value;
    if (graph->before_reshapes(next) == value) return input.value;
  }
  return -1;
}

}  // namespace systole::lowering
