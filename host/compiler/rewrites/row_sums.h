#pragma once

#include <memory>

#include "host/graph/graph.h"

namespace systole::lowering {

/// Writes sums over rows, as batch normalisation has, so that they need fewer passes over memory.
///
/// The squares of distances from the mean are added up in the pass that finds the mean, as
/// distances from the mean of the first images, of at least 1/128 of the rows:
///
///     sum((x - mean)^2) = sum((x - s)^2) - sum(x - s)^2 / rows
///
/// Sums of what follows linearly from tensors whose sums are known are computed from these: a
/// gradient's way through the mean needs no pass of its own.
///
/// Numbers  docs/numerics.md section 9
std::unique_ptr<graph::Graph> merge_row_sums(const graph::Graph& graph);

}  // namespace systole::lowering
