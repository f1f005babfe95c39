#include "host/compiler/rewrites/rewrite.h"

#include "host/graph/simplify.h"

namespace systole::lowering {

std::unique_ptr<Graph> rewrite(const Graph& graph, const Rule& rule, Simplifies simplifies) {
  auto result = std::make_unique<Graph>();
  std::vector<Value> values = result->inputs_as(graph);
  bool has_changed = false;
  for (const graph::Operation& operation : graph.operations()) {
    const Graph::Scope layer(*result, operation.scope);
    if (const auto made = rule(operation, values)) {
      values[operation.results[0]] = *made;
      has_changed = true;
      continue;
    }
    result->add_as(operation, values);
  }
  result->output_as(graph, values);
  const bool is_simplified = has_changed && simplifies == Simplifies::kIfChanged;
  return is_simplified ? graph::simplify(*result) : std::move(result);
}

}  // namespace systole::lowering
