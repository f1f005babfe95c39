#include "host/nn/products/quantize.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "host/nn/numbers/generator.h"
#include "host/nn/numbers/parallel.h"

namespace systole::nn {
namespace {

constexpr std::int64_t kGrain = 1 << 14;  // values worth a thread
constexpr float kLargest = 127.0f;
constexpr float kSmallestMagnitude = 0x1p-100f;

// Magnitudes of floats compare like their bits as integers; infinity and NaN come last.
std::uint32_t magnitude_bits(float value) {
  return std::bit_cast<std::uint32_t>(value) & 0x7fff'ffffU;
}

float scale_of(std::uint32_t largest_bits) {
  const auto largest = std::bit_cast<float>(largest_bits);
  if (!std::isfinite(largest)) return std::numeric_limits<float>::quiet_NaN();
  return largest < kSmallestMagnitude ? 0.0f : largest / kLargest;
}

float inverse_of(float scale) { return scale > 0.0f ? 1.0f / scale : 0.0f; }

std::int8_t rounded(float value) {
  // The inverse's rounding may overshoot slightly. NaN becomes 0; its scale reports it.
  const float low = std::floor(value);
  return static_cast<std::int8_t>(low >= -kLargest ? std::min(low, kLargest)
                                  : low < 0        ? -kLargest
                                                   : 0.0f);
}

}  // namespace

std::vector<float> scales_of(const MatrixValues& matrix, ScaleBy by, int threads) {
  const auto [values, rows, cols] = matrix;
  std::vector<float> scales(by == ScaleBy::kRow ? rows : cols);
  if (by == ScaleBy::kRow) {
    parallel_for(threads, rows, 1 + kGrain / cols, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) {
        const float* row = values.data() + r * cols;
        std::uint32_t largest = 0;
        for (std::int64_t c = 0; c < cols; ++c) largest = std::max(largest, magnitude_bits(row[c]));
        scales[r] = scale_of(largest);
      }
    });
    return scales;
  }
  parallel_for(threads, cols, 1 + kGrain / rows, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::uint32_t> largest(end - begin);
    for (std::int64_t r = 0; r < rows; ++r) {
      const float* row = values.data() + r * cols + begin;
      for (std::size_t c = 0; c < largest.size(); ++c) {
        largest[c] = std::max(largest[c], magnitude_bits(row[c]));
      }
    }
    std::ranges::transform(largest, scales.begin() + begin, scale_of);
  });
  return scales;
}

void quantize(const MatrixValues& matrix, ScaleBy by, std::span<const float> scales,
              std::optional<std::uint64_t> seed, std::span<std::int8_t> result, int threads) {
  const auto [values, rows, cols] = matrix;
  std::vector<float> inverse(scales.size());
  std::ranges::transform(scales, inverse.begin(), inverse_of);
  parallel_for(threads, rows, 1 + kGrain / cols, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> added(cols, 0.5f);
    for (std::int64_t r = begin; r < end; ++r) {
      const float* from = values.data() + r * cols;
      std::int8_t* to = result.data() + r * cols;
      if (seed) {
        Generator generator(*seed, static_cast<std::uint64_t>(r));
        for (float& random : added) random = generator.uniform();
      }
      if (by == ScaleBy::kRow) {
        const float scale = inverse[r];
        for (std::size_t c = 0; c < added.size(); ++c) to[c] = rounded(from[c] * scale + added[c]);
      } else {
        for (std::size_t c = 0; c < added.size(); ++c) {
          to[c] = rounded(from[c] * inverse[c] + added[c]);
        }
      }
    }
  });
}

void scale_sums(std::span<const std::int32_t> sums, std::span<const float> row_scales,
                std::span<const float> col_scales, std::span<float> result, int threads) {
  const std::size_t cols = col_scales.size();
  const auto rows = static_cast<std::int64_t>(row_scales.size());
  parallel_for(threads, rows, 1 + kGrain / static_cast<std::int64_t>(cols),
               [&](std::int64_t begin, std::int64_t end) {
                 for (auto r = static_cast<std::size_t>(begin); r < static_cast<std::size_t>(end);
                      ++r) {
                   for (std::size_t c = 0; c < cols; ++c) {
                     result[r * cols + c] =
                         static_cast<float>(sums[r * cols + c]) * row_scales[r] * col_scales[c];
                   }
                 }
               });
}

}  // namespace systole::nn
