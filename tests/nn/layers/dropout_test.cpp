#include "host/nn/layers/dropout.h"

#include <catch2/catch.hpp>
#include <limits>

#include "tests/nn/layers/written_layer.h"

namespace systole::tests {
namespace {

struct BuiltDropout : WrittenLayer {
  explicit BuiltDropout(float rate, std::uint64_t seed = 1)
      : WrittenLayer(nn::Dropout{.rate = rate}, {50}, seed) {}

  std::vector<float> forward(const nn::Tensor& x, std::int64_t step, std::int64_t first_row = 0,
                             bool training = true) {
    return WrittenLayer::forward(
               x, {.training = training, .threads = 3, .step = step, .first_row = first_row})
        .values;
  }
};

nn::Tensor ones(std::int64_t rows) {
  return {.rows = rows, .row_size = 50, .values = std::vector<float>(rows * 50, 1.0f)};
}

}  // namespace

TEST_CASE("dropout drops its share of values and scales the rest", "[dropout]") {
  const float rate = GENERATE(0.0f, 0.25f, 0.9f);
  const auto y = BuiltDropout(rate).forward(ones(400), 3);
  std::int64_t dropped = 0;
  for (const float value : y) {
    if (value != 0) CHECK(value == Approx(1 / (1 - rate)));
    dropped += value == 0;
  }
  // 20,000 draws: one deviation of the share is at most 0.0036.
  CHECK(static_cast<double>(dropped) / 20000 == Approx(rate).margin(0.015));
}

TEST_CASE("dropout repeats a step, and differs between steps, rows and seeds", "[dropout]") {
  BuiltDropout dropout(0.5f);
  const auto y = dropout.forward(ones(8), 7);
  CHECK(dropout.forward(ones(8), 8) != y);
  CHECK(dropout.forward(ones(8), 7) == y);
  CHECK(BuiltDropout(0.5f).forward(ones(8), 7) == y);
  CHECK(BuiltDropout(0.5f, 2).forward(ones(8), 7) != y);
  CHECK(std::vector<float>(y.begin(), y.begin() + 50) !=
        std::vector<float>(y.begin() + 50, y.begin() + 100));
}

TEST_CASE("dropout of part of a batch drops the same values as for the whole batch", "[dropout]") {
  BuiltDropout dropout(0.5f);
  const auto whole = dropout.forward(ones(8), 7);
  CHECK(dropout.forward(ones(3), 7, 5) == std::vector<float>(whole.begin() + 250, whole.end()));
}

TEST_CASE("dropout passes gradients of kept values alone, and does nothing outside training",
          "[dropout]") {
  BuiltDropout dropout(0.5f);
  const nn::Tensor x = ones(4);
  CHECK(dropout.forward(x, 1, 0, false) == x.values);
  const auto passed = dropout.run(x, ones(4), {.step = 1});
  CHECK(passed.d_x.values == passed.y.values);
}

TEST_CASE("dropout refuses a rate outside 0..1", "[dropout]") {
  for (const float rate : {-0.1f, 1.0f, std::numeric_limits<float>::quiet_NaN()}) {
    CHECK_THROWS_WITH(write_layer(nn::Dropout{.rate = rate}, {4}), Catch::Contains("rate"));
  }
}

}  // namespace systole::tests
