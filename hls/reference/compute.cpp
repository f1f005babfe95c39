#include "hls/reference/compute.h"

#include <utility>

#include "hls/reference/mac.h"

namespace systole::reference {
namespace {

constexpr std::uint16_t kOneBf16 = 0x3f80;

/// Words of lanes; an address beyond the end wraps.
template <typename T>
T& lane(std::span<T> buffer, int size, int row, int index) {
  const auto words = buffer.size() / static_cast<std::size_t>(size);
  const auto word = static_cast<std::size_t>(row) % words;
  return buffer[word * static_cast<std::size_t>(size) + static_cast<std::size_t>(index)];
}

std::uint32_t mac(bool is_int8, std::uint16_t a, std::uint16_t b, std::uint32_t sum) {
  if (!is_int8) return mac_bf16(a, b, sum);
  return static_cast<std::uint32_t>(mac_int8(
      static_cast<std::int8_t>(a), static_cast<std::int8_t>(b), static_cast<std::int32_t>(sum)));
}

std::uint32_t add(bool is_int8, std::uint32_t total, std::uint32_t sum) {
  if (!is_int8) return add_fp32(total, sum);
  return static_cast<std::uint32_t>(
      add_int32(static_cast<std::int32_t>(total), static_cast<std::int32_t>(sum)));
}

}  // namespace

void compute(const ComputeProduct& product, int array_size, std::span<const std::uint16_t> rows,
             std::span<const std::uint16_t> weights, std::span<std::uint32_t> sums) {
  const int n_size = array_size;
  for (int t = 0; t < product.tiles; ++t) {
    const int depth = t + 1 < product.tiles ? n_size : product.last_depth;
    const auto a = [&](int m, int k) -> std::uint16_t {
      if (m == product.rows) return product.is_int8 ? 1 : kOneBf16;
      if (!product.transpose_a) {
        return lane(rows, n_size, product.a_row + t * product.a_tile_stride + m, k);
      }
      const int block = product.a_row + m / n_size * product.a_tile_stride;
      return k < depth ? lane(rows, n_size, block + t * n_size + k, m % n_size) : std::uint16_t{0};
    };
    const auto b = [&](int k, int n) -> std::uint16_t {
      if (product.transpose_b) {
        return lane(weights, n_size, product.b_row + t * product.b_tile_stride + n, k);
      }
      return k < depth ? lane(weights, n_size, product.b_row + t * n_size + k, n)
                       : std::uint16_t{0};
    };
    for (int m = 0; m < product.rows + (product.ones_row ? 1 : 0); ++m) {
      for (int n = 0; n < n_size; ++n) {
        std::uint32_t sum = 0;
        for (int k = 0; k < n_size; ++k) sum = mac(product.is_int8, a(m, k), b(k, n), sum);
        std::uint32_t& total = lane(sums, n_size, product.sum_row + m, n);
        total = t > 0 || product.accumulate ? add(product.is_int8, total, sum) : sum;
      }
    }
  }
}

void turn(int size, std::span<std::uint16_t> tile) {
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < i; ++j) {
      std::swap(tile[static_cast<std::size_t>(i * size + j)],
                tile[static_cast<std::size_t>(j * size + i)]);
    }
  }
}

}  // namespace systole::reference
