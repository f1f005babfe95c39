#pragma once

#include <memory>

#include "host/graph/graph.h"

namespace systole::lowering {

/// Moves dimensions to where the device takes them, so that products, sums and numbers may have
/// any.
///
///     dot_general of dimensions in any order   ->  transposes, then batch, rows, depth (or batch,
///                                                  depth, rows), whichever leaves the last
///     transpose of the last dimension          ->  transpose of rows of one element
///     transpose of more than three runs        ->  transposes that bring a run to the front each
///     reduce of the first and last dimensions  ->  a reduce of each
///     reduce of the first dimensions           ->  reduce of rows [first, all others]
///     reduce of the last dimensions            ->  reduce of rows [all others, last]
///     iota along another than the last         ->  broadcast of the numbers 0, 1, ...
///
/// A run is dimensions that stay side by side. A transpose of the last dimension takes a word of
/// the vector engine for each element.
std::unique_ptr<graph::Graph> plain_layouts(const graph::Graph& graph);

}  // namespace systole::lowering
