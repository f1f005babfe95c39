#pragma once

#include <cstdint>
#include <vector>

#include "tests/support/random.h"

namespace systole::tests {

/// One multiply-add, as bit patterns: activation * weight + sum.
struct MacCase {
  std::uint16_t activation = 0;
  std::uint16_t weight = 0;
  std::uint32_t sum = 0;
};

/// Values at which floating-point units break, both signs: zeros, subnormals (smallest, middle,
/// largest), the smallest and largest normals and their neighbours, one and its neighbours, powers
/// of two at the rounding distances, long carries, infinities, quiet and signalling NaNs.
std::vector<std::uint16_t> special_bf16();
std::vector<std::uint32_t> special_fp32();

/// The next random case, drawn from a mixture: plain random bits; a sum near minus the product
/// (deep cancellation); a sum whose last bit lies where the product is halfway; results near 2^-126
/// and near 2^128; special values.
MacCase random_mac_case(Random& random);

/// Two fp32 patterns from a similar mixture.
struct AddCase {
  std::uint32_t accumulator = 0;
  std::uint32_t tile_sum = 0;
};
AddCase random_add_case(Random& random);

}  // namespace systole::tests
