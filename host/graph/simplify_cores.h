#pragma once

#include <memory>
#include <span>
#include <vector>

#include "host/graph/graph.h"

namespace systole::graph {

/// As simplify, of the graphs of cores that run together. A sum over cores that one of them needs
/// stays in all of them, in its place among the others: where nothing else needs it, its result is
/// an output, `meeting$0` or another number, after the graph's own.
///
/// Errors   GraphError for graphs that do not have the same sums
std::vector<std::unique_ptr<Graph>> simplify_cores(std::span<const std::unique_ptr<Graph>> graphs);

}  // namespace systole::graph
