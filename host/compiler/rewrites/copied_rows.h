#pragma once

#include <memory>

#include "host/graph/graph.h"

namespace systole::lowering {

/// Copies what a kernel would read by rows that are not its own. A transpose, a slice or a repeated
/// tensor is read where it lies, row by row:
///
///     reshape(transpose(x))  of other columns        ->  reshape(copy(transpose(x)))
///     broadcast_in_dim(slice(x))  of rows or columns ->  broadcast_in_dim(copy(slice(x)))
///
/// A copy is a broadcast to the same shape (is_copy), which a kernel of its own writes. What
/// products alone read is written for them anyway.
std::unique_ptr<graph::Graph> copy_rows(const graph::Graph& graph);

}  // namespace systole::lowering
