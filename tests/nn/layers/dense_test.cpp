#include "host/nn/layers/dense.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/nn/layers/written_layer.h"
#include "tests/nn/training/small_model.h"
#include "tests/support/tolerances.h"

namespace systole::tests {
namespace {

// One sum of products in fp64 against fp32's: bounded by the sum of the magnitudes.
void check_close(float actual, double expected, double magnitudes) {
  CHECK(std::abs(actual - expected) <= kFp32MatmulTolerance * magnitudes + 1e-30);
}

struct DenseCase {
  std::int64_t rows, inputs, units;
};

struct BuiltDense : WrittenLayer {
  explicit BuiltDense(const DenseCase& c) : WrittenLayer(nn::Dense{.units = c.units}, {c.inputs}) {
    nn::Generator generator(3);
    for (float& b : parameters()[1].value) b = generator.uniform(-1, 1);
  }
};

}  // namespace

TEST_CASE("dense computes X W + b, and its gradients, as plain loops do", "[dense]") {
  const auto [rows, inputs, units] =
      GENERATE(DenseCase{1, 1, 1}, DenseCase{1, 15, 16}, DenseCase{17, 33, 10},
               DenseCase{15, 16, 1}, DenseCase{33, 1, 17});
  CAPTURE(rows, inputs, units);
  BuiltDense dense({rows, inputs, units});
  const auto weight = dense.parameters()[0].value;
  const auto bias = dense.parameters()[1].value;
  const nn::Tensor x = random_tensor(rows, inputs, 11);
  const nn::Tensor d_y = random_tensor(rows, units, 12);
  const auto [y, d_x] = dense.run(x, d_y);
  const auto w = [&](std::int64_t k, std::int64_t u) { return weight[k * units + u]; };

  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t u = 0; u < units; ++u) {
      double sum = bias[u], magnitudes = std::abs(bias[u]);
      for (std::int64_t k = 0; k < inputs; ++k) {
        const double term = static_cast<double>(x.row(r)[k]) * w(k, u);
        sum += term;
        magnitudes += std::abs(term);
      }
      check_close(y.row(r)[u], sum, magnitudes);
    }
    for (std::int64_t k = 0; k < inputs; ++k) {
      double sum = 0, magnitudes = 0;
      for (std::int64_t u = 0; u < units; ++u) {
        const double term = static_cast<double>(d_y.row(r)[u]) * w(k, u);
        sum += term;
        magnitudes += std::abs(term);
      }
      check_close(d_x.row(r)[k], sum, magnitudes);
    }
  }
  const auto& d_weight = dense.parameters()[0].gradient;
  const auto& d_bias = dense.parameters()[1].gradient;
  for (std::int64_t u = 0; u < units; ++u) {
    double bias_sum = 0, bias_magnitudes = 0;
    for (std::int64_t r = 0; r < rows; ++r) {
      bias_sum += d_y.row(r)[u];
      bias_magnitudes += std::abs(d_y.row(r)[u]);
    }
    check_close(d_bias[u], bias_sum, bias_magnitudes);
    for (std::int64_t k = 0; k < inputs; ++k) {
      double sum = 0, magnitudes = 0;
      for (std::int64_t r = 0; r < rows; ++r) {
        const double term = static_cast<double>(x.row(r)[k]) * d_y.row(r)[u];
        sum += term;
        magnitudes += std::abs(term);
      }
      check_close(d_weight[k * units + u], sum, magnitudes);
    }
  }
}

TEST_CASE("dense takes a smaller batch after a larger one", "[dense]") {
  BuiltDense dense({8, 5, 3});
  const nn::Tensor large = random_tensor(8, 5, 1);
  nn::Tensor small;
  small.resize(2, 5);
  std::copy_n(large.values.begin(), 10, small.values.begin());
  const nn::Tensor y_large = dense.forward(large), y_small = dense.forward(small);
  CHECK(y_small.rows == 2);
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(y_small.values[i] == Approx(y_large.values[i]).epsilon(1e-6));
  }
}

TEST_CASE("dense starts with weights inside Glorot's limit and biases at zero", "[dense]") {
  WrittenLayer layer(nn::Dense{.units = 50}, {100}, 5);
  CHECK(layer.output_shape() == nn::Shape{50});
  const auto& weight = layer.parameters()[0].value;
  const float limit = std::sqrt(6.0f / 150.0f);
  const auto [low, high] = std::ranges::minmax(weight);
  CHECK(low >= -limit);
  CHECK(high <= limit);
  CHECK(high - low > 1.95f * limit);
  for (const float b : layer.parameters()[1].value) CHECK(b == 0);
}

TEST_CASE("dense gives each step of a sample what it gives a sample of that step alone",
          "[dense]") {
  WrittenLayer steps(nn::Dense{.units = 3}, {4, 5}), one(nn::Dense{.units = 3}, {5});
  CHECK(steps.output_shape() == nn::Shape{4, 3});
  const nn::Tensor x = random_tensor(2, 20, 8);
  const nn::Tensor rows{.rows = 8, .row_size = 5, .values = x.values};
  CHECK(steps.forward(x).values == one.forward(rows).values);
}

TEST_CASE("dense refuses images and units below one", "[dense]") {
  CHECK_THROWS_WITH(write_layer(nn::Dense{.units = 3}, {28, 28, 1}),
                    Catch::Contains("28 x 28 x 1") && Catch::Contains("Flatten"));
  CHECK_THROWS_WITH(write_layer(nn::Dense{.units = 0}, {4}), Catch::Contains("units is 0"));
  CHECK_THROWS_WITH(write_layer(nn::Dense{.units = -2}, {4}), Catch::Contains("units is -2"));
}

}  // namespace systole::tests
