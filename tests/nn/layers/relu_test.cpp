#include "host/nn/layers/relu.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "host/nn/layers/flatten.h"

namespace systole::tests {
namespace {

nn::Multiplier cpu_multiplier() { return {Device::open("cpu"), DataType::kFp32}; }

}  // namespace

TEST_CASE("relu keeps what is positive, and passes the gradient there alone", "[relu]") {
  auto multiplier = cpu_multiplier();
  const auto layer = nn::Relu{}.make();
  const nn::Tensor x{.rows = 1, .row_size = 5, .values = {-2, -0.0f, 0, 1e-20f, 3}};
  const nn::Tensor d_y{.rows = 1, .row_size = 5, .values = {1, 2, 3, 4, 5}};
  nn::Tensor y, d_x;
  layer->forward({.multiplier = multiplier}, x, y);
  layer->backward({.multiplier = multiplier}, x, y, d_y, &d_x);
  CHECK(y.values == std::vector<float>{0, 0, 0, 1e-20f, 3});
  CHECK(d_x.values == std::vector<float>{0, 0, 0, 4, 5});
}

TEST_CASE("relu does not hide a NaN", "[relu]") {
  auto multiplier = cpu_multiplier();
  const nn::Tensor x{.rows = 1, .row_size = 1, .values = {std::numeric_limits<float>::quiet_NaN()}};
  nn::Tensor y;
  nn::Relu{}.make()->forward({.multiplier = multiplier}, x, y);
  CHECK(std::isnan(y.values[0]));
}

TEST_CASE("relu and flatten keep the number of values and have no parameters", "[relu]") {
  nn::Generator generator(1);
  CHECK(nn::Relu{}.make()->build({4, 5, 6}, generator) == nn::Shape{4, 5, 6});
  CHECK(nn::Flatten{}.make()->build({4, 5, 6}, generator) == nn::Shape{120});
  CHECK(nn::Relu{}.make()->parameters().empty());
  CHECK(nn::Flatten{}.make()->parameters().empty());
}

}  // namespace systole::tests
