#pragma once

#include <memory>

#include "host/graph/graph.h"

namespace systole::lowering {

/// Writes functions that follow exactly from others, so that the vector engine needs fewer:
///
///     is_finite(x)  ->  compare LT, abs(x), infinity
std::unique_ptr<graph::Graph> plain_functions(const graph::Graph& graph);

}  // namespace systole::lowering
