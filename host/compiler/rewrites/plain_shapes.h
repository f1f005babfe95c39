#pragma once

#include <memory>

#include "host/graph/graph.h"

namespace systole::lowering {

/// Writes what only changes shapes as reshapes, and broadcasts without dimensions of one, which JAX
/// keeps after reductions:
///
///     broadcast_in_dim [1, 1, 32] -> [8, 9, 32]  ->  broadcast_in_dim(reshape [32])
///     broadcast_in_dim [32] -> [1, 1, 32]        ->  reshape
///     reduce by "and" [48, 1] -> [48]            ->  reshape
///     gather of one slice at a known place       ->  slice
std::unique_ptr<graph::Graph> plain_shapes(const graph::Graph& graph);

}  // namespace systole::lowering
