#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/device/data_type.h"

namespace systole {

/// A matrix drawn from a seed: the same on every machine and, element by element, in either layout.
///
/// Shapes   element (row, col) of `rows` x `cols`; stored row-major, or as its transpose
/// Numbers  element (row, col) comes from h = splitmix64(splitmix64(splitmix64(seed) + stream) +
///          row * cols + col). A float has its sign from bit 63 of h, its exponent from bits 62..59
///          (2^-8 to 2^7) and its 23 mantissa bits from bits 58..36; bf16 keeps the upper 7 of
///          those. Sums thus mix 16 binades, and no special value occurs. int8 is bits 63..56;
///          int32 is the upper half of h, shifted right arithmetically by 12.
/// Source   splitmix64: Steele, Lea, Flood, OOPSLA 2014
struct RandomMatrix {
  std::uint64_t seed = 1;
  std::uint64_t stream = 0;  ///< distinguishes the matrices of one seed
  std::int64_t rows = 0, cols = 0;
  bool transposed = false;  ///< stored as [cols, rows]

  /// The bytes of a matrix of operands.
  std::vector<std::byte> operands(DataType type) const;

  /// The bytes of a matrix of sums: fp32, or int32 for kInt8.
  std::vector<std::byte> sums(DataType type) const;
};

}  // namespace systole
