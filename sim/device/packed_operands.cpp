#include "sim/device/packed_operands.h"

#include <algorithm>
#include <cstddef>

namespace systole {
namespace {

/// Lines (rows of A, columns of B) of N depth elements, tile by tile:
/// packed[tile][line][k] = source[line * line_stride + (tile * N + k) * depth_stride].
template <typename T>
std::vector<std::uint16_t> pack(const T* source, std::int64_t lines, std::int64_t padded_lines,
                                std::int64_t line_stride, std::int64_t depth_stride,
                                std::int64_t depth, int size) {
  using Bits = std::make_unsigned_t<T>;  // an int8's bits without its sign, in the low byte
  const std::int64_t tiles = (depth + size - 1) / size;
  std::vector<std::uint16_t> packed(static_cast<std::size_t>(tiles * padded_lines * size));
  for (std::int64_t tile = 0; tile < tiles; ++tile) {
    const std::int64_t first = tile * size;
    const std::int64_t count = std::min<std::int64_t>(size, depth - first);
    std::uint16_t* out = &packed[static_cast<std::size_t>(tile * padded_lines * size)];
    for (std::int64_t line = 0; line < lines; ++line, out += size) {
      const T* in = source + line * line_stride + first * depth_stride;
      for (std::int64_t k = 0; k < count; ++k) out[k] = static_cast<Bits>(in[k * depth_stride]);
    }
  }
  return packed;
}

}  // namespace

PackedOperands::PackedOperands(const Matmul& product, const Tiling& tiling,
                               std::span<const std::byte> a, std::span<const std::byte> b)
    : size_(tiling.array_size()),
      rows_(tiling.rows()),
      padded_cols_(tiling.col_tiles() * tiling.array_size()) {
  const std::int64_t depth = product.depth;
  const auto pack_both = [&]<typename T>(const T* from_a, const T* from_b) {
    a_ = pack(from_a, product.rows, product.rows, product.transpose_a ? 1 : depth,
              product.transpose_a ? product.rows : 1, depth, size_);
    b_ = pack(from_b, product.cols, padded_cols_, product.transpose_b ? depth : 1,
              product.transpose_b ? 1 : product.cols, depth, size_);
  };
  if (product.type == DataType::kInt8) {
    pack_both(reinterpret_cast<const std::int8_t*>(a.data()),
              reinterpret_cast<const std::int8_t*>(b.data()));
  } else {
    pack_both(reinterpret_cast<const std::uint16_t*>(a.data()),
              reinterpret_cast<const std::uint16_t*>(b.data()));
  }
}

}  // namespace systole
