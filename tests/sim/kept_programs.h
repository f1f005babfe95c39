#pragma once

#include "sim/timeline/replay.h"

namespace systole::tests {

/// The program of a bf16 product, with random operands.
sim::KeptProgram kept_product(int array_size, std::int64_t rows, std::int64_t depth,
                              std::int64_t cols);

/// A program whose second command is illegal.
sim::KeptProgram kept_fault();

}  // namespace systole::tests
