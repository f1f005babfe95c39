#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace systole::nn {

/// How fp32 becomes int8: to nearest, or up or down at random, so that the mean is the value.
enum class Rounding : std::uint8_t { kNearest, kStochastic };

/// What shares a scale: a row or a column of a matrix, as it is stored.
enum class ScaleBy : std::uint8_t { kRow, kColumn };

/// A row-major matrix and how to read it.
struct MatrixValues {
  std::span<const float> values;
  std::int64_t rows = 0, cols = 0;
};

/// The scales of a matrix: the largest magnitude of each row or column, over 127.
///
/// Shapes   one scale for each row, or each column
/// Numbers  0 where the largest magnitude is below 2^-100; NaN where something is no finite number,
///          so that a broken run is seen in its loss
std::vector<float> scales_of(const MatrixValues& matrix, ScaleBy by, int threads = 1);

/// int8 = value / scale, rounded.
///
/// Shapes   result has the matrix's size; scales as scales_of gives them
/// Numbers  -127 .. 127; value * (1 / scale) in fp32; kNearest: halves upward; kStochastic: down
///          after a random number from 0 to 1 - 2^-24 was added, of a stream that seed and row
///          choose. 0 where the scale is 0 or NaN. The same with any number of threads
void quantize(const MatrixValues& matrix, ScaleBy by, std::span<const float> scales,
              std::optional<std::uint64_t> seed, std::span<std::int8_t> result, int threads = 1);

/// result[r, c] = sums[r, c] * row_scales[r] * col_scales[c], in this order, in fp32.
void scale_sums(std::span<const std::int32_t> sums, std::span<const float> row_scales,
                std::span<const float> col_scales, std::span<float> result, int threads = 1);

}  // namespace systole::nn
