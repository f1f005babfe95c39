#include "host/compiler/rewrites/plain_functions.h"

#include <limits>

#include "host/compiler/rewrites/rewrite.h"
#include "host/graph/ops.h"

namespace systole::lowering {

std::unique_ptr<graph::Graph> plain_functions(const graph::Graph& graph) {
  return rewrite(graph,
                 [](const graph::Operation& operation,
                    std::span<const graph::Value> values) -> std::optional<graph::Value> {
                   if (operation.kind->name != "is_finite") return {};
                   const graph::Value x = values[operation.operands[0]];
                   return compare(abs(x), "LT", std::numeric_limits<double>::infinity());
                 });
}

}  // namespace systole::lowering
