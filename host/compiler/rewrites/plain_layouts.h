#pragma once

#include <memory>

#include "host/graph/graph.h"

namespace systole::lowering {

/// Moves dimensions to where the device takes them, so that products, sums, broadcasts
/// and numbers may have any.
///
///     dot_general of dimensions in any order   ->  transposes, then batch, rows, depth (or batch,
///                                                  depth, rows), whichever leaves the last
///     transpose of the last dimension          ->  transpose of rows of one element
///     transpose of more than three runs        ->  transposes that bring a run to the front each
///     reduce of dimensions apart               ->  a reduce of each run of them
///     reduce of the first dimensions           ->  reduce of rows [first, all others]
///     reduce of the last dimensions            ->  reduce of rows [all others, last]
///     reduce of dimensions in the middle       ->  reduce of rows of a transpose
///     reduce of what is concatenated for it    ->  the sum of the parts' sums
///     broadcast of dimensions in another order ->  broadcast of a transpose
///     broadcast with new dimensions apart      ->  a broadcast for each run of them
///     iota of a vector, or not along the last  ->  broadcast of the numbers 0, 1, ...
///
/// A run is dimensions that stay side by side. A transpose of the last dimension takes a word of
/// the vector engine for each element.
std::unique_ptr<graph::Graph> plain_layouts(const graph::Graph& graph);

}  // namespace systole::lowering
