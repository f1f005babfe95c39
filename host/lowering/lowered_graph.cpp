#include "host/lowering/lowered_graph.h"

#include "host/graph/join_sums.h"
#include "host/graph/simplify.h"
#include "host/lowering/chosen_elements.h"
#include "host/lowering/cut_parts.h"
#include "host/lowering/fold_rows.h"
#include "host/lowering/kept_values.h"
#include "host/lowering/plain_shapes.h"
#include "host/lowering/row_sums.h"
#include "host/lowering/rows_by_products.h"
#include "host/lowering/split_reductions.h"
#include "host/lowering/split_windows.h"
#include "host/lowering/unit_order.h"
#include "host/lowering/units.h"
#include "host/lowering/wide_convolutions.h"

namespace systole::lowering {

namespace {

LoweredGraph lower_simple(std::unique_ptr<graph::Graph> simple, int lanes,
                          const std::set<std::string>& resident,
                          const std::optional<Quantization>& quantization) {
  if (quantization) simple = quantize_products(*simple, *quantization);
  simple = cut_parts(*split_reductions(*simple, kSlots * lanes));
  simple = separate_parts(*simple);
  KeptValues kept = find_kept(*simple, lanes, resident);
  cut_units(kept);
  order_units(kept.lowered);
  LoweredGraph lowered = std::move(kept.lowered);
  lowered.taps = std::move(kept.around.taps);
  lowered.graph = std::move(simple);
  return lowered;
}

}  // namespace

LoweredGraph lower_graph(const graph::Graph& graph, const DeviceSizes& sizes,
                         const std::set<std::string>& resident,
                         const std::optional<Quantization>& quantization) {
  auto simple = graph::simplify(*graph::join_sums(graph, graph::SumsJoined::kOfFactors));
  simple = plain_shapes(*simple);
  if (!quantization) simple = widen_convolutions(*simple, sizes);
  simple = split_windows(*rows_by_products(*chosen_elements(*simple)));
  simple = merge_row_sums(*simple);
  const int lanes = sizes.array_size;
  try {
    return lower_simple(fold_rows(*simple, lanes), lanes, resident, quantization);
  } catch (const graph::GraphError&) {
    // Rows that other operations need as they are; or an error that comes again.
    return lower_simple(std::move(simple), lanes, resident, quantization);
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
