#pragma once

#include <cstdint>

#include "host/cpu/kernel.h"

namespace systole::graph {

/// C = op(A) op(B) on this processor, one product of a form's batch.
///
/// Shapes   those of DotForm, dense
/// Timing   uses `threads` threads where the product is worth more than one
/// Numbers  f32: Eigen's order of sums, the same on any number of threads
void multiply(const DotForm& form, const float* a, const float* b, float* c, int threads);

/// The same of i8 in words.
///
/// Numbers  exact, modulo 2^32
void multiply(const DotForm& form, const std::int32_t* a, const std::int32_t* b, std::int32_t* c,
              int threads);

}  // namespace systole::graph
