#include "host/nn/layers/dense.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

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

struct BuiltDense {
  std::unique_ptr<nn::Layer> layer;
  nn::Multiplier multiplier{Device::open("cpu"), DataType::kFp32};

  explicit BuiltDense(const DenseCase& c) : layer(nn::Dense{.units = c.units}.make()) {
    nn::Generator generator(3);
    layer->build({c.inputs}, generator);
    for (float& b : layer->parameters()[1].value) b = generator.uniform(-1, 1);
  }
  nn::Pass pass() { return {.multiplier = multiplier, .training = true}; }
};

}  // namespace

TEST_CASE("dense computes X W + b, and its gradients, as plain loops do", "[dense]") {
  const auto [rows, inputs, units] =
      GENERATE(DenseCase{1, 1, 1}, DenseCase{1, 15, 16}, DenseCase{17, 33, 10},
               DenseCase{15, 16, 1}, DenseCase{33, 1, 17});
  CAPTURE(rows, inputs, units);
  BuiltDense dense({rows, inputs, units});
  const auto weight = dense.layer->parameters()[0].value;
  const auto bias = dense.layer->parameters()[1].value;
  const nn::Tensor x = random_tensor(rows, inputs, 11);
  const nn::Tensor d_y = random_tensor(rows, units, 12);
  nn::Tensor y, d_x;
  dense.layer->forward(dense.pass(), x, y);
  dense.layer->backward(dense.pass(), x, y, d_y, &d_x);
  dense.multiplier.wait();
  const auto w = [&](std::int64_t k, std::int64_t u) {
    return weight[static_cast<std::size_t>(k * units + u)];
  };

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
  const auto& d_weight = dense.layer->parameters()[0].gradient;
  const auto& d_bias = dense.layer->parameters()[1].gradient;
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
      check_close(d_weight[static_cast<std::size_t>(k * units + u)], sum, magnitudes);
    }
  }
}

TEST_CASE("dense takes a smaller batch after a larger one", "[dense]") {
  BuiltDense dense({8, 5, 3});
  const nn::Tensor large = random_tensor(8, 5, 1);
  nn::Tensor small;
  small.resize(2, 5);
  std::copy_n(large.values.begin(), 10, small.values.begin());
  nn::Tensor y_large, y_small;
  dense.layer->forward(dense.pass(), large, y_large);
  dense.layer->forward(dense.pass(), small, y_small);
  CHECK(y_small.rows == 2);
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(y_small.values[i] == Approx(y_large.values[i]).epsilon(1e-6));
  }
}

TEST_CASE("dense uses weights changed since the last pass", "[dense]") {
  BuiltDense dense({1, 1, 1});
  const nn::Tensor x{.rows = 1, .row_size = 1, .values = {1.0f}};
  nn::Parameter& weight = dense.layer->parameters()[0];
  dense.layer->parameters()[1].value = {0};
  nn::Tensor y;
  for (const float w : {2.0f, -3.0f}) {
    weight.value = {w};
    ++weight.version;
    dense.layer->forward(dense.pass(), x, y);
    CHECK(y.values[0] == w);
  }
}

TEST_CASE("dense starts with weights inside Glorot's limit and biases at zero", "[dense]") {
  nn::Generator generator(5);
  const auto layer = nn::Dense{.units = 50}.make();
  CHECK(layer->build({100}, generator) == nn::Shape{50});
  const auto& weight = layer->parameters()[0].value;
  const float limit = std::sqrt(6.0f / 150.0f);
  const auto [low, high] = std::ranges::minmax(weight);
  CHECK(low >= -limit);
  CHECK(high <= limit);
  CHECK(high - low > 1.95f * limit);
  for (const float b : layer->parameters()[1].value) CHECK(b == 0);
}

TEST_CASE("dense refuses samples of two dimensions and units below one", "[dense]") {
  nn::Generator generator(1);
  CHECK_THROWS_WITH(nn::Dense{.units = 3}.make()->build({28, 28}, generator),
                    Catch::Contains("28 x 28") && Catch::Contains("Flatten"));
  CHECK_THROWS_WITH(nn::Dense{.units = 0}.make()->build({4}, generator),
                    Catch::Contains("units is 0"));
  CHECK_THROWS_WITH(nn::Dense{.units = -2}.make()->build({4}, generator),
                    Catch::Contains("units is -2"));
}

}  // namespace systole::tests
