#pragma once

#include "sim/timeline/replay.h"

namespace systole::tests {

/// The program of a bf16 product, operands of random bits and all.
sim::KeptProgram kept_product(int array_size, std::int64_t rows, std::int64_t depth,
                              std::int64_t cols);

/// A program whose second command is none.
sim::KeptProgram kept_fault();

}  // namespace systole::tests
