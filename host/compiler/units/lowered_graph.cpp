#include "host/compiler/units/lowered_graph.h"

#include "host/compiler/units/kept_values.h"
#include "host/compiler/units/unit_order.h"
#include "host/compiler/units/units.h"

namespace systole::lowering {

namespace {

OrRefusal<LoweredGraph> cut(std::unique_ptr<graph::Graph> simple, int lanes,
                            const std::set<std::string>& resident, int core) {
  Refusal why;
  for (const Updates updates : {Updates::kJoined, Updates::kApart}) {
    KeptValues kept = find_kept(*simple, lanes, resident, core);
    if (auto refusal = cut_units(kept, updates)) return std::move(*refusal);
    if (auto refusal = order_units(kept.lowered, *simple)) {
      why = std::move(*refusal);
      continue;
    }
    LoweredGraph lowered = std::move(kept.lowered);
    lowered.taps = std::move(kept.around.taps);
    lowered.graph = std::move(simple);
    return lowered;
  }
  return why;
}

}  // namespace

LoweredGraph lower_graph(const graph::Graph& graph, const DeviceSizes& sizes,
                         const std::set<std::string>& resident,
                         const std::optional<Quantization>& quantization, const AfterPass& after,
                         int core) {
  std::string why;
  for (const bool folds_rows : {true, false}) {  // other operations may need the rows as they are
    const PassContext context{
        .sizes = sizes, .quantization = quantization, .folds_rows = folds_rows};
    auto lowered =
        cut(run_passes(passes(), graph, context, after), sizes.array_size, resident, core);
    auto* refusal = std::get_if<Refusal>(&lowered);
    if (refusal == nullptr) return std::get<LoweredGraph>(std::move(lowered));
    why = std::move(refusal->why);
  }
  throw graph::GraphError(why);
}

bool LoweredGraph::is_written_by_host(int value) const {
  return std::ranges::count(drawn, value) != 0 || std::ranges::count(constants, value) != 0;
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
