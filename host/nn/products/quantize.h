#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace systole::nn {

/// How fp32 becomes int8: to nearest, or stochastically, so that the mean is the value.
enum class Rounding : std::uint8_t { kNearest, kStochastic };

/// Whether each row or each column of a matrix, as stored, has a scale.
enum class ScaleBy : std::uint8_t { kRow, kColumn };

/// A row-major matrix and how to read it.
struct MatrixValues {
  std::span<const float> values;
  std::int64_t rows = 0, cols = 0;
};

/// The scales of a matrix: the largest magnitude of each row or column, over 127.
///
/// Shapes   one scale for each row, or each column
/// Numbers  0 if the largest magnitude is below 2^-100; NaN if any value is not finite, so a broken
///          run shows in its loss
std::vector<float> scales_of(const MatrixValues& matrix, ScaleBy by, int threads = 1);

/// int8 = value / scale, rounded.
///
/// Shapes   result has the matrix's size; scales as scales_of gives them
/// Numbers  -127 .. 127; value * (1 / scale) in fp32; kNearest: halves upward; kStochastic: rounds
///          down after adding a random number in 0 .. 1 - 2^-24 from the stream of seed and row. 0
///          where the scale is 0 or NaN. The same with any number of threads
void quantize(const MatrixValues& matrix, ScaleBy by, std::span<const float> scales,
              std::optional<std::uint64_t> seed, std::span<std::int8_t> result, int threads = 1);

/// result[r, c] = sums[r, c] * row_scales[r] * col_scales[c], in this order, in fp32.
void scale_sums(std::span<const std::int32_t> sums, std::span<const float> row_scales,
                std::span<const float> col_scales, std::span<float> result, int threads = 1);

}  // namespace systole::nn
