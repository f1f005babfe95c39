#pragma once

#include <memory>

#include "host/graph/graph.h"

namespace systole::graph {

/// The same outputs with less work: constants are computed, equal operations done once, operations
/// that change nothing left out, and those that no output needs.
///
/// Shapes   inputs and outputs keep their names, order and types
/// Numbers  a constant is what the oracle gives, rounded once; nothing else changes a bit.
///          Constants of more than 4,096 elements stay as they are, unless all elements are equal
std::unique_ptr<Graph> simplify(const Graph& graph);

}  // namespace systole::graph
