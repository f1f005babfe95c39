#include "host/graph/gradient.h"

#include "host/graph/ops.h"

namespace systole::graph {
namespace {

// Floats computed from `values`, which gradients can flow through.
std::vector<bool> depending_on(const Graph& graph, std::span<const Value> values) {
  std::vector<bool> depends(graph.value_count());
  for (const Value value : values) depends[value.id()] = true;
  for (const Operation& operation : graph.operations()) {
    if (operation.detached) continue;
    bool any = false;
    for (const int operand : operation.operands) any = any || depends[operand];
    for (const int result : operation.results) {
      if (any && is_float(graph.type(result).element)) depends[result] = true;
    }
  }
  return depends;
}

}  // namespace

Backward::Backward(Graph& graph, int operation, std::vector<Value> d_results,
                   std::vector<Value>& d_values, const std::vector<bool>& wanted)
    : graph_(graph),
      index_(operation),
      attributes_(this->operation().attributes),
      scope_(this->operation().scope),
      call_(graph.call(this->operation())),
      d_results_(std::move(d_results)),
      d_values_(d_values),
      wanted_(wanted) {
  call_.attributes = attributes_;
  call_.scope = scope_;
}

Value Backward::operand(std::size_t i) const { return graph_.value(operation().operands[i]); }
Value Backward::result(std::size_t i) const { return graph_.value(operation().results[i]); }
bool Backward::wants(std::size_t operand) const { return wanted_[operation().operands[operand]]; }

void Backward::give(std::size_t operand, Value gradient) {
  if (!wants(operand)) return;
  const int id = operation().operands[operand];
  call_.need(gradient.type() == graph_.type(id), "its gradient is {}, not {}",
             to_string(gradient.type()), to_string(graph_.type(id)));
  Value& sum = d_values_[id];
  sum = sum ? sum + gradient : gradient;
}

std::vector<Value> gradients(Value loss, std::span<const Value> values) {
  Graph& graph = loss.graph();
  if (!is_float(loss.type().element) || loss.type().rank() != 0) {
    throw GraphError(
        fmt::format("only a float scalar has gradients, not {}", to_string(loss.type())));
  }
  for (const Value value : values) {
    if (!is_float(value.type().element)) {
      throw GraphError(
          fmt::format("{} has no gradient: it is not a float", to_string(value.type())));
    }
  }
  const std::vector<bool> wanted = depending_on(graph, values);
  std::vector<Value> d_values(graph.value_count());
  d_values[loss.id()] = constant(graph, loss.type(), 1);
  for (int i = static_cast<int>(graph.operations().size()); i-- > 0;) {
    const Operation& operation = graph.operations()[i];
    bool reached = false, needed = false;
    std::vector<Value> d_results;
    for (const int result : operation.results) {
      d_results.push_back(d_values[result]);
      reached = reached || (d_results.back() && wanted[result]);
    }
    for (const int operand : operation.operands) needed = needed || wanted[operand];
    if (!reached || !needed || operation.detached) continue;
    const auto rule = operation.kind->gradient;
    graph.call(operation).need(rule != nullptr,
                               "has no gradient; detach its result to train past it");
    const Graph::Scope layer(graph, operation.scope.empty() ? "d" : "d_" + operation.scope);
    Backward backward(graph, i, std::move(d_results), d_values, wanted);
    rule(backward);
  }
  std::vector<Value> result;
  for (const Value value : values) {
    const Value found = d_values[value.id()];
    result.push_back(found ? found : constant(graph, value.type(), 0));
  }
  return result;
}

}  // namespace systole::graph
