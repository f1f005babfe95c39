#pragma once

#include "host/device/product.h"
#include "tests/sim/flat_memory.h"

namespace systole::tests {

/// A product's effect on memory, by docs/numerics.md: its bits for an N x N array. `stretch`: of
/// the depth, cut into tiles by itself; 0: all of it.
///
/// Limits   the stochastic format is not covered: its bits depend on the order of rows
void compute_product(const Product& product, int array_size, FlatMemory& memory,
                     std::int64_t stretch = 0);

}  // namespace systole::tests
