#include "sim/device/tiling.h"

#include <algorithm>

namespace systole {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0); }

}  // namespace

Tiling::Tiling(std::int64_t rows, std::int64_t depth, std::int64_t cols, int array_size,
               int bank_rows)
    : rows_(rows),
      depth_(depth),
      cols_(cols),
      array_size_(array_size),
      row_blocks_(ceil_div(rows, bank_rows)),
      col_tiles_(ceil_div(cols, array_size)),
      depth_tiles_(ceil_div(depth, array_size)) {}

Job Tiling::job(std::int64_t index) const {
  const std::int64_t block = index / col_tiles_;
  const std::int64_t col = index % col_tiles_ * array_size_;
  // The first `taller` blocks have one row more than the others.
  const std::int64_t height = rows_ / row_blocks_;
  const std::int64_t taller = rows_ % row_blocks_;
  return {.row = block * height + std::min(block, taller),
          .rows = height + (block < taller),
          .col = col,
          .cols = std::min<std::int64_t>(array_size_, cols_ - col),
          .bank = static_cast<int>(index % 2)};
}

}  // namespace systole
