#pragma once

#include <memory>

#include "host/graph/graph.h"

namespace systole::graph {

/// Computes the same outputs with less work: folds constants, merges equal operations, and removes
/// operations that change nothing or that no output needs. Dynamic slices and updates whose places
/// are known, as those of an unrolled loop, become slices and concatenations.
///
/// Shapes   inputs and outputs keep their names, order and types
/// Numbers  a folded constant is the oracle's result, rounded once; no other bit changes. Constants
///          of more than 4,096 elements are folded only if all elements are equal
std::unique_ptr<Graph> simplify(const Graph& graph);

}  // namespace systole::graph
