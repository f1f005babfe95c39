#include "host/graph/reference.h"

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
  if (inputs.size() != graph.inputs().size()) {
    throw GraphError(fmt::format("got {} inputs, not {}", inputs.size(), graph.inputs().size()));
  }
  std::vector<Literal> values(graph.value_count());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto id = static_cast<std::size_t>(graph.inputs()[i].value);
    if (inputs[i].type != graph.type(graph.inputs()[i].value)) {
      throw GraphError(fmt::format("input {} is {}, not {}", graph.inputs()[i].name,
                                   to_string(inputs[i].type),
                                   to_string(graph.type(graph.inputs()[i].value))));
    }
    values[id] = inputs[i];
  }
  for (const Operation& operation : graph.operations()) {
    std::vector<Literal> operands;
    for (const int operand : operation.operands) {
      operands.push_back(values[operand]);
    }
    std::vector<Literal> results = evaluate(graph.call(operation), operands, rounding);
    for (std::size_t i = 0; i < results.size(); ++i) {
      values[operation.results[i]] = std::move(results[i]);
    }
  }
  std::vector<Literal> outputs;
  for (const Output& output : graph.outputs()) {
    outputs.push_back(values[output.value]);
  }
  return outputs;
}

}  // namespace systole::graph
