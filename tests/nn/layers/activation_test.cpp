#include "host/nn/layers/activation.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "host/nn/layers/dense.h"
#include "tests/nn/training/small_model.h"

namespace systole::tests {
namespace {

using enum nn::Function;

double expected(nn::Function function, std::span<const float> row, std::size_t i) {
  const double x = row[i];
  switch (function) {
    case kLinear:
      return x;
    case kRelu:
      return std::max(x, 0.0);
    case kTanh:
      return std::tanh(x);
    case kSigmoid:
      return 1 / (1 + std::exp(-x));
    case kSoftmax:
      break;
  }
  double sum = 0;
  for (const float other : row) sum += std::exp(double{other} - x);
  return 1 / sum;
}

nn::Tensor through(nn::Function function, const nn::Tensor& x, const nn::Shape& shape,
                   int threads = 1) {
  nn::Multiplier multiplier{Device::open("cpu", {.threads = threads}), DataType::kFp32};
  nn::Generator generator(1);
  const auto layer = nn::Activation{.function = function}.make();
  CHECK(layer->build(shape, generator) == shape);
  nn::Tensor y;
  layer->forward({.multiplier = multiplier}, x, y);
  return y;
}

}  // namespace

TEST_CASE("activations are their formulas, softmax along the last dimension", "[activation]") {
  const auto function = GENERATE(kLinear, kRelu, kTanh, kSigmoid, kSoftmax);
  CAPTURE(to_string(function));
  nn::Tensor x = random_tensor(3, 20, 7);
  for (float& value : x.values) value *= 6;
  const nn::Tensor y = through(function, x, {4, 5});
  for (std::size_t first = 0; first < x.values.size(); first += 5) {
    const auto row = std::span(x.values).subspan(first, 5);
    for (std::size_t i = 0; i < 5; ++i) {
      CHECK(y.values[first + i] == Approx(expected(function, row, i)).epsilon(1e-5).margin(1e-7));
    }
  }
}

TEST_CASE("softmax and sigmoid stay finite for large inputs, and NaN stays NaN", "[activation]") {
  const nn::Tensor large{.rows = 1, .row_size = 3, .values = {1e4f, -1e4f, 1e4f}};
  CHECK(through(kSoftmax, large, {3}).values == std::vector<float>{0.5f, 0, 0.5f});
  CHECK(through(kSigmoid, large, {3}).values == std::vector<float>{1, 0, 1});
  const auto function = GENERATE(kRelu, kTanh, kSigmoid, kSoftmax);
  const nn::Tensor nan{
      .rows = 1, .row_size = 1, .values = {std::numeric_limits<float>::quiet_NaN()}};
  CHECK(std::isnan(through(function, nan, {1}).values[0]));
}

TEST_CASE("activations give the same on three threads as on one", "[activation]") {
  const auto function = GENERATE(kRelu, kTanh, kSoftmax);
  const nn::Tensor x = random_tensor(11, 20000, 7);
  CHECK(through(function, x, {2000, 10}).values == through(function, x, {2000, 10}, 3).values);
}

TEST_CASE("activations and their names map to each other", "[activation]") {
  for (const auto function : {kLinear, kRelu, kTanh, kSigmoid, kSoftmax}) {
    CHECK(nn::parse_function(to_string(function)) == function);
  }
  CHECK_THROWS_WITH(nn::parse_function("swish"),
                    Catch::Contains("swish") && Catch::Contains("sigmoid"));
}

TEST_CASE("a layer with an activation is one layer from outside", "[activation]") {
  const auto layer = nn::with_activation(nn::Dense{.units = 4}.make(), kTanh);
  nn::Generator generator(1), same(1);
  CHECK(layer->kind() == "Dense");
  CHECK(layer->build({6}, generator) == nn::Shape{4});
  CHECK(layer->parameters().size() == 2);

  const auto plain = nn::Dense{.units = 4}.make();
  plain->build({6}, same);
  nn::Multiplier multiplier{Device::open("cpu"), DataType::kFp32};
  const nn::Tensor x = random_tensor(3, 6, 2);
  nn::Tensor y, sums;
  layer->forward({.multiplier = multiplier}, x, y);
  plain->forward({.multiplier = multiplier}, x, sums);
  for (std::size_t i = 0; i < 12; ++i) CHECK(y.values[i] == std::tanh(sums.values[i]));
}

}  // namespace systole::tests
