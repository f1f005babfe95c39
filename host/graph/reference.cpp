#include "host/graph/reference.h"

#include "host/graph/cores.h"

namespace systole::graph {

std::vector<Literal> evaluate(const Call& call, std::span<const Literal> operands,
                              Rounding rounding) {
  std::vector<Literal> results = call.kind.evaluate(call, operands);
  for (Literal& result : results) {
    if (rounding == Rounding::kNone && is_float(result.type.element)) continue;
    for (double& value : result.values) value = round_to(result.type.element, value);
  }
  return results;
}

std::vector<Literal> evaluate(const Graph& graph, std::span<const Literal> inputs,
                              Rounding rounding) {
  const Graph* const graphs[] = {&graph};
  const std::vector<Literal> own[] = {{inputs.begin(), inputs.end()}};
  return std::move(evaluate_cores(graphs, own, rounding)[0]);
}

}  // namespace systole::graph
