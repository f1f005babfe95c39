#include "host/compiler/rewrites/separate_outputs.h"

#include <algorithm>
#include <set>
#include <vector>

#include "host/compiler/rewrites/cut_parts.h"
#include "host/graph/ops.h"

namespace systole::lowering {
namespace {

using graph::Graph;
using graph::Operation;
using graph::Value;

/// By value: what no unit writes as a tensor of its own.
std::vector<bool> find_shared(const Graph& graph) {
  std::vector<bool> is_shared = find_numbers(graph);
  for (const graph::Input& input : graph.inputs()) is_shared[input.value] = true;
  for (const Operation& operation : graph.operations()) {
    if (!joins_tensors(graph, operation)) continue;
    is_shared[operation.results[0]] = true;
    for (const int operand : operation.operands) is_shared[graph.before_reshapes(operand)] = true;
  }
  return is_shared;
}

}  // namespace

std::unique_ptr<Graph> separate_outputs(const Graph& graph) {
  auto result = std::make_unique<Graph>();
  std::vector<Value> values = result->inputs_as(graph);
  for (const Operation& operation : graph.operations()) {
    const Graph::Scope layer(*result, operation.scope);
    result->add_as(operation, values);
  }
  const std::vector<bool> is_shared = find_shared(graph);
  std::set<int> returned;
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    const graph::Output& output = graph.outputs()[i];
    const int base = graph.before_reshapes(output.value);
    Value value = values[output.value];
    if (is_shared[base] || !returned.insert(base).second) {
      const Graph::Scope layer(*result, output.name);
      value = broadcast_in_dim(value, value.shape(), graph::counting(value.type().rank()));
    }
    const auto input =
        std::ranges::find(graph.inputs(), static_cast<int>(i), &graph::Input::updated_by);
    if (input == graph.inputs().end()) {
      result->output(output.name, value);
    } else {
      result->update(values[input->value], output.name, value);
    }
  }
  return result;
}

bool is_copy(const Graph& graph, const Operation& operation) {
  return operation.kind->name == "broadcast_in_dim" &&
         graph.type(operation.operands[0]).shape == graph.type(operation.results[0]).shape;
}

}  // namespace systole::lowering
