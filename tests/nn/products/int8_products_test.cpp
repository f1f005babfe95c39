// int8 products with a scale for each row and column: their error bounds.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "host/nn/layers/dense.h"
#include "host/nn/products/device_products.h"
#include "tests/nn/layers/written_layer.h"
#include "tests/nn/training/small_model.h"

namespace systole::tests {
namespace {

// An element of a product, and the error bound of int8 operands.
struct Bounded {
  double value = 0, bound = 0;
};

// Half a step for rounding to nearest, a whole step for stochastic rounding; the fp32 roundings of
// the inverse and of scaling back are far smaller.
constexpr double kNearest = 0.5 + 1e-4, kStochastic = 1 + 1e-4;
constexpr double kFp32Share = 1e-5;

double largest(const nn::Tensor& matrix, bool by_row, std::int64_t index) {
  double most = 0;
  for (std::int64_t i = 0; i < (by_row ? matrix.row_size : matrix.rows); ++i) {
    const float value = by_row ? matrix.row(index)[i] : matrix.row(i)[index];
    most = std::max(most, std::abs(double{value}));
  }
  return most;
}

// op(A)'s row i times op(B)'s column j.
Bounded element(const nn::Tensor& a, bool transpose_a, double steps_a, const nn::Tensor& b,
                bool transpose_b, double steps_b, std::int64_t i, std::int64_t j) {
  const double error_a = steps_a * largest(a, !transpose_a, i) / 127;
  const double error_b = steps_b * largest(b, transpose_b, j) / 127;
  Bounded result;
  double magnitudes = 0;
  for (std::int64_t k = 0; k < (transpose_a ? a.rows : a.row_size); ++k) {
    const double x = transpose_a ? a.row(k)[i] : a.row(i)[k];
    const double y = transpose_b ? b.row(j)[k] : b.row(k)[j];
    result.value += x * y;
    magnitudes += std::abs(x * y);
    result.bound += std::abs(x) * error_b + std::abs(y) * error_a + error_a * error_b;
  }
  result.bound += kFp32Share * magnitudes;
  return result;
}

}  // namespace

TEST_CASE("a dense layer's output and gradients in int8 are within the bound of their scales",
          "[int8]") {
  const std::int64_t rows = GENERATE(1, 33), inputs = GENERATE(5, 40), units = GENERATE(1, 17);
  CAPTURE(rows, inputs, units);
  WrittenLayer layer(nn::Dense{.units = units}, {inputs});
  nn::Generator generator(3);
  auto& bias = layer.parameters()[1].value;
  for (float& b : bias) b = generator.uniform(-1, 1);
  nn::Multiplier multiplier(Device::open("cpu"), DataType::kInt8);
  const nn::Tensor x = random_tensor(rows, inputs, 11);
  nn::Tensor d_y = random_tensor(rows, units, 12);
  // Gradients of very different sizes: each row has its own scale for d_x.
  for (std::int64_t r = 0; r < rows; ++r) {
    for (float& value : d_y.row(r)) value *= std::ldexp(1.0f, -static_cast<int>(r));
  }
  nn::Tensor w{.rows = inputs, .row_size = units, .values = layer.parameters()[0].value};
  const auto [y, d_x] =
      layer.run(x, d_y, {.offload = std::make_unique<nn::DeviceProducts>(multiplier)});

  const auto near = [](float actual, const Bounded& expected) {
    CHECK(std::abs(actual - expected.value) <= expected.bound);
  };
  const nn::Tensor ones{.rows = rows, .row_size = 1, .values = std::vector<float>(rows, 1.0f)};
  for (std::int64_t u = 0; u < units; ++u) {
    const auto unit = static_cast<std::size_t>(u);
    for (std::int64_t r = 0; r < rows; ++r) {
      Bounded sum = element(x, false, kNearest, w, false, kNearest, r, u);
      sum.value += bias[unit];
      sum.bound += 1e-6;
      near(y.row(r)[unit], sum);
    }
    for (std::int64_t k = 0; k < inputs; ++k) {
      near(layer.parameters()[0].gradient[k * units + u],
           element(x, true, kNearest, d_y, false, kStochastic, k, u));
    }
    near(layer.parameters()[1].gradient[unit],
         element(ones, true, 0, d_y, false, kStochastic, 0, u));
  }
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t k = 0; k < inputs; ++k) {
      near(d_x.row(r)[k], element(d_y, false, kStochastic, w, true, kNearest, r, k));
    }
  }
}

TEST_CASE("an int8 product depends on its seed and step alone", "[int8]") {
  const Device cpu = Device::open("cpu");
  nn::Multiplier one(cpu, DataType::kInt8, 1), two(cpu, DataType::kInt8, 2);
  const auto product = [](nn::Multiplier& multiplier, std::int64_t step) {
    nn::Operand a, b;
    multiplier.start_step(step);
    multiplier.load(a, random_tensor(30, 30, 1).values, nn::Rounding::kStochastic);
    multiplier.load(b, random_tensor(30, 30, 2).values);
    std::vector<float> c(900);
    multiplier.multiply({.a = a, .b = b, .rows = 30, .depth = 30, .cols = 30}, c);
    return c;
  };
  const auto first = product(one, 4);
  CHECK(product(one, 5) != first);
  CHECK(product(one, 4) == first);
  CHECK(product(two, 4) != first);
}

TEST_CASE("an operand used in two shapes has scales for each", "[int8]") {
  nn::Multiplier multiplier(Device::open("cpu"), DataType::kInt8);
  nn::Operand a, b;
  multiplier.load(a, std::vector<float>{1, 100, 1, 1, 1, 1});
  multiplier.load(b, std::vector<float>{1, 1, 1});
  std::vector<float> two(2), three(3);
  multiplier.multiply({.a = a, .b = b, .rows = 2, .depth = 3, .cols = 1}, two);
  CHECK(two[1] == Approx(3));
  multiplier.load(b, std::vector<float>{1, 1});
  multiplier.multiply({.a = a, .b = b, .rows = 3, .depth = 2, .cols = 1}, three);
  CHECK(three[1] == Approx(2));
  CHECK(three[2] == Approx(2));
}

TEST_CASE("int8 refuses results on the device and fused operations", "[int8]") {
  nn::Multiplier multiplier(Device::open("cpu"), DataType::kInt8);
  nn::Operand a;
  multiplier.load(a, std::vector<float>(kMaxInt8Depth + 1, 1.0f));
  std::vector<float> c(1);
  CHECK_THROWS_WITH(
      multiplier.multiply({.a = a, .b = a, .rows = 1, .depth = kMaxInt8Depth + 1, .cols = 1}, c),
      Catch::Contains("131071") || Catch::Contains("131,071"));
  nn::Operand b;
  multiplier.load(b, std::vector<float>{1});
  nn::Operand result;
  const nn::Product product{.a = b, .b = b, .rows = 1, .depth = 1, .cols = 1};
  CHECK_THROWS_WITH(multiplier.multiply(product, c, {.relu = true}), Catch::Contains("ReLU"));
  CHECK_THROWS_WITH(multiplier.multiply(product, {}, result), Catch::Contains("int8"));
}

}  // namespace systole::tests
