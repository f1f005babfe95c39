#include "host/compiler/units/split_kernel.h"

#include <algorithm>

#include "host/compiler/kernels/extents.h"

namespace systole::lowering {

OrRefusal<bool> split_kernel(KeptValues& kept, const Root& root) {
  const graph::Graph& graph = kept.around.graph;
  const auto found = Extents::find(kept.around, std::span(&root, 1));
  if (const auto* refusal = std::get_if<Refusal>(&found)) return *refusal;
  const Extents& extents = std::get<Extents>(found);
  // Whole tensors and rows first; then what is the same in all rows, which costs little to compute
  // again but may take the streams and instructions of all rows.
  std::vector<std::pair<bool, int>> values;
  for (const auto& [value, extent] : extents.all()) {
    const graph::Operation* operation = graph.maker(value);
    const bool is_small = extent == Extent::kScalar || extent == Extent::kColumn;
    if (value == root.value || operation == nullptr || extents.is_read(value) ||
        kept.roots.contains(value) || operation->operands.empty() ||
        operation->kind->name == "reshape" || operation->kind->name == "broadcast_in_dim") {
      continue;
    }
    values.emplace_back(!is_small || adds_rows(graph, *operation), value);
  }
  std::ranges::sort(values, std::greater<>(), [&](const auto& one) {
    return std::pair(one.first, graph.producer(one.second));
  });
  for (const auto& [is_whole, value] : values) {
    const Root part{.value = value, .formats = {kept.memory_format(value)}};
    const auto code = write_kernel(kept.around, std::span(&part, 1));
    if (const auto* refusal = std::get_if<Refusal>(&code)) {
      if (!refusal->is_a_limit) return *refusal;
      continue;
    }
    kept.need_memory(value);
    return true;
  }
  return false;
}

}  // namespace systole::lowering
