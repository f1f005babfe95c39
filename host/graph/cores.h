#pragma once

#include <span>
#include <vector>

#include "host/graph/graph.h"
#include "host/graph/reference.h"

namespace systole::graph {

/// x of all cores, added in their order: ((x0 + x1) + x2) + ... on each of them. A core runs a
/// graph of its own and meets the others at each such sum, in the graph's order.
Value all_reduce(Value x, std::int64_t cores);

/// How many cores' values an operation adds: 1 unless it is an all_reduce. Of several cores, it is
/// neither known before the step nor the same as another one: each is a meeting.
std::int64_t cores_of(const Operation& operation);

/// Evaluates the graphs of all cores together, graph c with inputs[c].
///
/// Numbers  of a sum, each addition is rounded to its type, with Rounding::kToType
/// Errors   GraphError where the cores' sums differ in their number, their types or their cores
std::vector<std::vector<Literal>> evaluate_cores(std::span<const Graph* const> graphs,
                                                 std::span<const std::vector<Literal>> inputs,
                                                 Rounding rounding = Rounding::kToType);

}  // namespace systole::graph
