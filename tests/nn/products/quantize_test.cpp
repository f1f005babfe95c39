#include "host/nn/products/quantize.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "tests/nn/training/small_model.h"

namespace systole::tests {
namespace {

using nn::MatrixValues;
using nn::ScaleBy;

std::vector<std::int8_t> quantized(const MatrixValues& matrix, ScaleBy by,
                                   std::optional<std::uint64_t> seed = {}, int threads = 1) {
  std::vector<std::int8_t> result(matrix.values.size());
  quantize(matrix, by, scales_of(matrix, by, threads), seed, result, threads);
  return result;
}

}  // namespace

TEST_CASE("the largest magnitude of each row or column becomes 127", "[quantize]") {
  const std::vector<float> values{1, -2, 0.5f, 0, 254, -127};
  const MatrixValues matrix{values, 2, 3};
  CHECK(scales_of(matrix, ScaleBy::kRow) == std::vector<float>{2.0f / 127, 2});
  CHECK(scales_of(matrix, ScaleBy::kColumn) == std::vector<float>{1.0f / 127, 2, 1});
  // 63.5 and -63.5 go upward.
  CHECK(quantized(matrix, ScaleBy::kRow) == std::vector<std::int8_t>{64, -127, 32, 0, 127, -63});
  CHECK(quantized(matrix, ScaleBy::kColumn) == std::vector<std::int8_t>{127, -1, 1, 0, 127, -127});
}

TEST_CASE("rows without a scale become zeros, and NaN is reported", "[quantize]") {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> values{0, 1e-38f, NAN, 1, infinity, 1};
  const MatrixValues matrix{values, 3, 2};
  const auto scales = scales_of(matrix, ScaleBy::kRow);
  CHECK(scales[0] == 0);
  CHECK(std::isnan(scales[1]));
  CHECK(std::isnan(scales[2]));
  CHECK(quantized(matrix, ScaleBy::kRow, GENERATE(std::optional<std::uint64_t>{}, 3)) ==
        std::vector<std::int8_t>(6, 0));
  std::vector<float> result(3);
  nn::scale_sums(std::vector<std::int32_t>{5, 5, 5}, scales, std::vector<float>{1}, result);
  CHECK(result[0] == 0);
  CHECK(std::isnan(result[1]));
}

TEST_CASE("stochastic rounding is unbiased and never off by one", "[quantize]") {
  constexpr std::int64_t kRows = 20'000;
  std::vector<float> values;
  for (std::int64_t r = 0; r < kRows; ++r) values.insert(values.end(), {127.0f, 10.25f, -3.75f});
  const auto result = quantized({values, kRows, 3}, ScaleBy::kRow, 7);
  double sums[3] = {};
  for (std::size_t i = 0; i < result.size(); ++i) {
    sums[i % 3] += result[i];
    REQUIRE(std::abs(result[i] - values[i]) < 1);
  }
  CHECK(sums[0] == 127.0 * kRows);
  // Six deviations of the mean of 20,000 draws with variance 3/16.
  const double tolerance = 6 * std::sqrt(3.0 / 16 / kRows);
  CHECK(std::abs(sums[1] / kRows - 10.25) < tolerance);
  CHECK(std::abs(sums[2] / kRows + 3.75) < tolerance);
}

TEST_CASE("threads and repetition change nothing, another seed does", "[quantize]") {
  const nn::Tensor tensor = random_tensor(300, 301, 5);
  const MatrixValues matrix{tensor.values, 300, 301};
  for (const ScaleBy by : {ScaleBy::kRow, ScaleBy::kColumn}) {
    CHECK(scales_of(matrix, by, 3) == scales_of(matrix, by));
    CHECK(quantized(matrix, by, 4, 3) == quantized(matrix, by, 4));
    CHECK(quantized(matrix, by, 4) != quantized(matrix, by, 5));
  }
}

}  // namespace systole::tests
