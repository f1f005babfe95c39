#pragma once

#include <cstdint>
#include <memory>

#include "host/graph/graph.h"

namespace systole::graph {

enum class SumsJoined : std::uint8_t {
  kAll,
  kOfFactors,  ///< reductions only of what products read, too: others would need memory for it
};

/// Replaces a sum of equal operations on parts by one operation on the concatenated parts:
///
///     dot(a1, b1) + dot(a2, b2)        ->  dot([a1; a2], [b1; b2])     contracting leading rows
///     reduce(a1) + reduce(a2)          ->  reduce([a1; a2])            sums over leading rows
///     pad(a1) + pad(a2)                ->  [a1; a2]                    if they fill the result
///
/// The gradient of a weight that an unrolled loop uses at every step becomes one product.
///
/// Shapes   inputs and outputs keep their names, order and types
/// Numbers  the order of additions changes: parts are added in the program's order, the last term
///          of a sum first, as gradients() adds them from the last use to the first
std::unique_ptr<Graph> join_sums(const Graph& graph, SumsJoined which = SumsJoined::kAll);

}  // namespace systole::graph
