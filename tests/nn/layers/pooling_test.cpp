#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "host/nn/layers/pooling_2d.h"
#include "tests/nn/layers/written_layer.h"
#include "tests/nn/training/small_model.h"

namespace systole::tests {
namespace {

using enum nn::Padding;

struct Case {
  nn::Size2D pool, strides;
  nn::Padding padding;
};

const Case kCases[] = {
    {{2, 2}, {2, 2}, kValid}, {{2, 2}, {2, 2}, kSame}, {{3, 3}, {2, 2}, kValid},
    {{3, 3}, {2, 2}, kSame},  {{3, 2}, {1, 1}, kSame}, {{1, 1}, {3, 2}, kValid},
    {{2, 3}, {3, 4}, kSame},
};

constexpr std::int64_t kHeight = 7, kWidth = 6, kChannels = 3, kRows = 2;

// The part of the image that a window covers, as Keras places it.
struct Places {
  std::int64_t first_row, last_row, first_col, last_col;
};

Places places(const Case& c, std::int64_t r, std::int64_t q) {
  const auto start = [&](std::int64_t i, std::int64_t stride, std::int64_t size, std::int64_t in) {
    const std::int64_t out = (in + stride - 1) / stride;
    const std::int64_t border = std::max<std::int64_t>(0, (out - 1) * stride + size - in);
    return i * stride - (c.padding == kSame ? border / 2 : 0);
  };
  const auto row = start(r, c.strides.height, c.pool.height, kHeight);
  const auto col = start(q, c.strides.width, c.pool.width, kWidth);
  return {std::max<std::int64_t>(0, row), std::min(kHeight, row + c.pool.height),
          std::max<std::int64_t>(0, col), std::min(kWidth, col + c.pool.width)};
}

struct Passed {
  nn::Shape shape;
  nn::Tensor x = random_tensor(kRows, kHeight* kWidth* kChannels, 4);
  nn::Tensor y, d_y, d_x;

  // Calls check(sample, row, column, channel, index of the output) for each output.
  template <typename Check>
  void for_each_output(const Check& check) const {
    for (std::int64_t n = 0; n < kRows; ++n)
      for (std::int64_t r = 0; r < shape[0]; ++r)
        for (std::int64_t q = 0; q < shape[1]; ++q)
          for (std::int64_t k = 0; k < kChannels; ++k)
            check(n, r, q, k, ((n * shape[0] + r) * shape[1] + q) * kChannels + k);
  }
};

std::int64_t at(std::int64_t n, std::int64_t r, std::int64_t q, std::int64_t k) {
  return ((n * kHeight + r) * kWidth + q) * kChannels + k;
}

Passed pass_through(const nn::Layer& layer, int threads = 1) {
  WrittenLayer written(layer, {kHeight, kWidth, kChannels});
  Passed result;
  result.shape = written.output_shape();
  result.d_y = random_tensor(kRows, nn::size_of(result.shape), 5);
  auto passed = written.run(result.x, result.d_y, {.threads = threads});
  result.y = std::move(passed.y);
  result.d_x = std::move(passed.d_x);
  return result;
}

std::int64_t outputs(std::int64_t in, std::int64_t size, std::int64_t stride, nn::Padding padding) {
  return padding == kSame ? (in + stride - 1) / stride : (in - size) / stride + 1;
}

}  // namespace

TEST_CASE("max pooling takes the largest value and sends the gradient to it", "[pooling]") {
  for (const Case& c : kCases) {
    CAPTURE(c.pool.height, c.pool.width, c.strides.height, c.strides.width);
    const Passed p =
        pass_through(nn::MaxPooling2D{.pool = c.pool, .strides = c.strides, .padding = c.padding});
    CHECK(p.shape == nn::Shape{outputs(kHeight, c.pool.height, c.strides.height, c.padding),
                               outputs(kWidth, c.pool.width, c.strides.width, c.padding),
                               kChannels});
    std::vector<float> d_x(p.x.values.size());
    std::size_t wrong = 0;
    p.for_each_output([&](auto n, auto r, auto q, auto k, auto out) {
      const Places w = places(c, r, q);
      std::int64_t best = at(n, w.first_row, w.first_col, k);
      for (auto i = w.first_row; i < w.last_row; ++i)
        for (auto j = w.first_col; j < w.last_col; ++j)
          if (p.x.values[at(n, i, j, k)] > p.x.values[best]) best = at(n, i, j, k);
      wrong += p.y.values[out] != p.x.values[best];
      d_x[best] += p.d_y.values[out];
    });
    CHECK(wrong == 0);
    CHECK(p.d_x.values == d_x);
  }
}

TEST_CASE("average pooling takes the mean of the pixels that a window covers", "[pooling]") {
  for (const Case& c : kCases) {
    CAPTURE(c.pool.height, c.pool.width, c.strides.height, c.strides.width);
    const Passed p = pass_through(
        nn::AveragePooling2D{.pool = c.pool, .strides = c.strides, .padding = c.padding});
    std::vector<double> d_x(p.x.values.size());
    std::size_t wrong = 0;
    p.for_each_output([&](auto n, auto r, auto q, auto k, auto out) {
      const Places w = places(c, r, q);
      const auto count =
          static_cast<double>((w.last_row - w.first_row) * (w.last_col - w.first_col));
      double sum = 0;
      for (auto i = w.first_row; i < w.last_row; ++i)
        for (auto j = w.first_col; j < w.last_col; ++j) {
          sum += p.x.values[at(n, i, j, k)];
          d_x[at(n, i, j, k)] += p.d_y.values[out] / count;
        }
      wrong += !(std::abs(p.y.values[out] - sum / count) < 1e-6);
    });
    CHECK(wrong == 0);
    for (std::size_t i = 0; i < d_x.size(); ++i)
      wrong += !(std::abs(p.d_x.values[i] - d_x[i]) < 1e-5);
    CHECK(wrong == 0);
  }
}

TEST_CASE("max pooling sends the gradient to the first of equals and propagates NaN", "[pooling]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const int place = GENERATE(0, 1, 2, 3);
  nn::Tensor x{.rows = 1, .row_size = 8, .values = {-1, 5, 0, 0, 5, 5, 0, 0}};
  x.values[place % 2 + place / 2 * 4 + 2] = nan;
  const nn::Tensor d_y{.rows = 1, .row_size = 2, .values = {7, 0}};
  const auto [y, d_x] = WrittenLayer(nn::MaxPooling2D{}, {2, 4, 1}).run(x, d_y);
  CHECK(y.values[0] == 5);
  CHECK(std::isnan(y.values[1]));
  CHECK(d_x.values == std::vector<float>{0, 7, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("poolings give the same results on three threads as on one", "[pooling]") {
  const nn::MaxPooling2D largest{.pool = {3, 3}, .strides = nn::Size2D{2, 2}};
  const nn::AveragePooling2D mean{.pool = {3, 3}, .strides = nn::Size2D{2, 2}};
  CHECK(pass_through(largest).d_x.values == pass_through(largest, 3).d_x.values);
  CHECK(pass_through(mean).d_x.values == pass_through(mean, 3).d_x.values);
}

TEST_CASE("poolings refuse invalid options and samples", "[pooling]") {
  CHECK_THROWS_WITH(write_layer(nn::MaxPooling2D{}, {64}),
                    Catch::Contains("MaxPooling2D") && Catch::Contains("64"));
  CHECK_THROWS_WITH(write_layer(nn::AveragePooling2D{}, {1, 8, 3}),
                    Catch::Contains("AveragePooling2D") && Catch::Contains("2 x 2"));
  CHECK_THROWS_WITH(write_layer(nn::MaxPooling2D{.pool = {0, 1}}, {8, 8, 3}),
                    Catch::Contains("0 x 1"));
}

}  // namespace systole::tests
