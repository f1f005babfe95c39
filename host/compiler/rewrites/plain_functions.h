#pragma once

#include <memory>

#include "host/graph/graph.h"

namespace systole::lowering {

/// Writes functions that follow exactly from others, so that the vector engine needs fewer:
///
///     is_finite(x)         ->  compare LT, abs(x), infinity
///     convert(x) i32 to i8 ->  of (x and 255) - 2 (x and 128), as a stream saturates and a
///                              conversion wraps
std::unique_ptr<graph::Graph> plain_functions(const graph::Graph& graph);

}  // namespace systole::lowering
