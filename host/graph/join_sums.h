#pragma once

#include <memory>

#include "host/graph/graph.h"

namespace systole::graph {

/// Sums of equal operations on parts become one operation on all parts, side by side:
///
///     dot(a1, b1) + dot(a2, b2)        ->  dot([a1; a2], [b1; b2])     summed over leading rows
///     reduce(a1) + reduce(a2)          ->  reduce([a1; a2])            the same, by add from 0
///     pad(a1) + pad(a2)                ->  [a1; a2]                    where they fill the whole
///
/// So the gradient of a weight that an unrolled loop uses at every step is one product.
///
/// Shapes   inputs and outputs keep their names, order and types
/// Numbers  the order of additions changes: parts are added in the program's order, the last term
///          of a sum first, as gradients() adds them from the last use to the first
std::unique_ptr<Graph> join_sums(const Graph& graph);

}  // namespace systole::graph
