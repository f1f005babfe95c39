#pragma once

#include <memory>

#include "host/graph/graph.h"

namespace systole::lowering {

/// Makes each output a tensor of its own, which a unit writes. An input, a constant, what follows
/// from the host's numbers alone, a part of a concatenation and what another output returns already
/// are copied by a broadcast to their own shape:
///
///     return x, y, y  ->  return copy(x), y, copy(y)
///
/// Nothing may simplify the graph after that.
std::unique_ptr<graph::Graph> separate_outputs(const graph::Graph& graph);

/// Whether an operation is such a copy. After plain_shapes no other broadcast keeps its shape.
bool is_copy(const graph::Graph& graph, const graph::Operation& operation);

}  // namespace systole::lowering
