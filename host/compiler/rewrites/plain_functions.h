#pragma once

#include <memory>

#include "host/graph/graph.h"

namespace systole::lowering {

/// Writes functions that follow from others, so that the vector engine needs fewer:
///
///     is_finite(x)         ->  compare LT, abs(x), infinity
///     ceil(x)              ->  -floor(-x)
///     round_nearest_afz(x) ->  floor(|x|), one more where half or more is left, times sign(x)
///     tan(x)               ->  sine(x) / cosine(x)
///     log_plus_one(x)      ->  log(u) (x / (u - 1)) of u = x + 1, where u is rounded
///     exponential_minus_one(x) -> tanh(x / 2) (exponential(x) + 1)
///     abs(x), sign(x) of i32 ->  maximum(x, -x), clamp(-1, x, 1)
///     convert(x) i32 to i8 ->  of (x and 255) - 2 (x and 128), as a stream saturates and a
///                              conversion wraps
///
/// Numbers  tan, log_plus_one and exponential_minus_one are within some ulp, all others exact
std::unique_ptr<graph::Graph> plain_functions(const graph::Graph& graph);

}  // namespace systole::lowering
