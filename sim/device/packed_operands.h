#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/driver/matmul.h"
#include "sim/device/tiling.h"

namespace systole {

/// A and B as the unit's ports take them, cut into tiles and padded with zeros: each row of a tile
/// of A and each column of a tile of B is N consecutive 16-bit elements.
///
/// Shapes   a, b: the product's operands where they lie, of either transposition
/// Numbers  bf16 as it is; int8 in the low byte
class PackedOperands {
 public:
  PackedOperands(const Matmul& product, const Tiling& tiling, std::span<const std::byte> a,
                 std::span<const std::byte> b);

  /// N activations of A's row: elements tile * N .. along the depth.
  const std::uint16_t* row(std::int64_t tile, std::int64_t row) const {
    return &a_[static_cast<std::size_t>((tile * rows_ + row) * size_)];
  }
  /// N weights of B's column: elements tile * N .. along the depth. Columns count up to the
  /// padding.
  const std::uint16_t* column(std::int64_t tile, std::int64_t col) const {
    return &b_[static_cast<std::size_t>((tile * padded_cols_ + col) * size_)];
  }

 private:
  int size_;
  std::int64_t rows_, padded_cols_;
  std::vector<std::uint16_t> a_, b_;
};

}  // namespace systole
