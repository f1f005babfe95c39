#include "host/graph/known_values.h"

#include "host/graph/cores.h"
#include "host/graph/reference.h"

namespace systole::graph {

const Literal* KnownValues::find(int value) {
  auto found = known_.find(value);
  if (found == known_.end()) found = known_.emplace(value, evaluate_value(value)).first;
  return found->second ? &*found->second : nullptr;
}

std::optional<Literal> KnownValues::evaluate_value(int value) {
  const int producer = graph_.producer(value);
  if (producer < 0 || element_count(graph_.type(value).shape) > most_) return {};
  const Operation& operation = graph_.operations()[static_cast<std::size_t>(producer)];
  if (operation.results.size() != 1 || cores_of(operation) > 1) return {};
  std::vector<Literal> operands;
  for (const int operand : operation.operands) {
    const Literal* known = find(operand);
    if (known == nullptr) return {};
    operands.push_back(*known);
  }
  return evaluate(graph_.call(operation), operands)[0];
}

}  // namespace systole::graph
