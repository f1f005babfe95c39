#include "host/graph/simplify_cores.h"

#include <algorithm>

#include "host/graph/cores.h"
#include "host/graph/simplify.h"

namespace systole::graph {
namespace {

std::vector<int> meetings_of(const Graph& graph) {
  std::vector<int> results;
  for (const Operation& operation : graph.operations()) {
    if (cores_of(operation) > 1) results.push_back(operation.results[0]);
  }
  return results;
}

/// The graph with the results of some meetings as outputs.
std::unique_ptr<Graph> with_meetings(const Graph& graph, const std::vector<bool>& chosen) {
  auto copy = std::make_unique<Graph>();
  std::vector<Value> values = copy->inputs_as(graph);
  for (const Operation& operation : graph.operations()) {
    const Graph::Scope layer(*copy, operation.scope);
    copy->add_as(operation, values);
  }
  copy->output_as(graph, values);
  const std::vector<int> meetings = meetings_of(graph);
  for (std::size_t i = 0; i < meetings.size(); ++i) {
    if (chosen[i]) copy->output(fmt::format("meeting${}", i), values[meetings[i]]);
  }
  return copy;
}

/// Which meetings the first `outputs` outputs of a graph follow from.
std::vector<bool> needed_meetings(const Graph& graph, std::size_t outputs) {
  std::vector<bool> needed(graph.value_count());
  for (std::size_t i = 0; i < outputs; ++i) needed[graph.outputs()[i].value] = true;
  for (std::size_t i = graph.operations().size(); i-- > 0;) {
    const Operation& operation = graph.operations()[i];
    if (std::ranges::none_of(operation.results, [&](int r) { return needed[r]; })) continue;
    for (const int operand : operation.operands) needed[operand] = true;
  }
  std::vector<bool> chosen;
  for (const int meeting : meetings_of(graph)) chosen.push_back(needed[meeting]);
  return chosen;
}

}  // namespace

std::vector<std::unique_ptr<Graph>> simplify_cores(std::span<const std::unique_ptr<Graph>> graphs) {
  const std::size_t count = meetings_of(*graphs[0]).size();
  std::vector<std::unique_ptr<Graph>> simple;
  std::vector<std::vector<bool>> needed;
  std::vector<bool> by_any(count);
  for (const auto& graph : graphs) {
    const auto all = simplify(*with_meetings(*graph, std::vector<bool>(count, true)));
    needed.push_back(needed_meetings(*all, graph->outputs().size()));
    if (needed.back().size() != count) {
      throw GraphError(fmt::format("a core has {} sums over cores, and another {}",
                                   needed.back().size(), count));
    }
    for (std::size_t i = 0; i < count; ++i) by_any[i] = by_any[i] || needed.back()[i];
  }
  for (std::size_t core = 0; core < graphs.size(); ++core) {
    std::vector<bool> kept(count);
    for (std::size_t i = 0; i < count; ++i) kept[i] = by_any[i] && !needed[core][i];
    simple.push_back(simplify(*with_meetings(*graphs[core], kept)));
  }
  return simple;
}

}  // namespace systole::graph
