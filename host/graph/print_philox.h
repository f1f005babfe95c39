#pragma once

#include <string>

#include "host/graph/type.h"

namespace systole::graph {

/// The words of rng_bit_generator and the state after them as arithmetic in ui64, which every
/// implementation of StableHLO computes alike: ten rounds of Philox (philox.h) on all counters.
/// Returns lines that define `bits` and `after`; their other names begin with `prefix`.
///
/// Shapes   state, after: tensor<4xui32>, a key of two words and a counter of two; bits: ui32
std::string print_philox(const std::string& state, const std::string& bits, const Shape& shape,
                         const std::string& after, const std::string& prefix);

}  // namespace systole::graph
