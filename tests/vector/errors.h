#pragma once

#include <array>
#include <cstdint>

#include "tests/vector/special_functions.h"

namespace systole::tests {

/// How far a special function's results are from the correctly rounded ones.
///
/// Units    steps: numbers of fp32 between two, where a zero and 2^-126 are neighbours
struct FunctionErrors {
  std::array<std::uint64_t, 4> count{};  ///< by steps; the last: 3 or more
  std::uint32_t most_steps = 0;
  std::uint32_t worst_argument = 0;
  std::uint64_t wrong_nans = 0;  ///< NaN on one side alone, or another NaN than 0x7fc00000
};

/// The errors on arguments first, first + stride, ... below 2^32.
///
/// Numbers  the true value is the C library's in double, rounded to fp32
FunctionErrors function_errors(const SpecialFunction& function, std::uint64_t first,
                               std::uint64_t stride, unsigned threads);

}  // namespace systole::tests
