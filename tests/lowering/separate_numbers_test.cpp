#include "host/compiler/rewrites/separate_numbers.h"

#include <catch2/catch.hpp>

#include "host/graph/reference.h"
#include "host/graph/text.h"

namespace systole::tests {
namespace {

using graph::Element;
using graph::Literal;

// Momentum with a decaying rate, a count of steps, dropout of random bits, and a layer that is not
// trained.
constexpr const char* kStep = R"(
func.func @main(%w: tensor<4x3xf32>, %frozen: tensor<3xf32>, %count: tensor<i32>,
                %key: tensor<2xui32>, %x: tensor<5x4xf32>)
    -> (tensor<f32>, tensor<4x3xf32>, tensor<3xf32>, tensor<i32>, tensor<2xui32>, tensor<f32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %next = stablehlo.add %count, %one : tensor<i32>
  %n = stablehlo.convert %next : (tensor<i32>) -> tensor<f32>
  %decay = stablehlo.constant dense<0.5> : tensor<f32>
  %rate = stablehlo.power %decay, %n : tensor<f32>
  %rates = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
  %ones = stablehlo.constant dense<1> : tensor<2xui32>
  %key2 = stablehlo.add %key, %ones : tensor<2xui32>
  %k = stablehlo.slice %key [0:1] : (tensor<2xui32>) -> tensor<1xui32>
  %s = stablehlo.reshape %k : (tensor<1xui32>) -> tensor<ui32>
  %bits = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<ui32>) -> tensor<5x3xui32>
  %places = stablehlo.iota dim = 0 : tensor<5x3xui32>
  %draw = stablehlo.xor %bits, %places : tensor<5x3xui32>
  %three = stablehlo.constant dense<3> : tensor<5x3xui32>
  %keep = stablehlo.compare LT, %draw, %three, UNSIGNED : (tensor<5x3xui32>, tensor<5x3xui32>) -> tensor<5x3xi1>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<5x4xf32>, tensor<4x3xf32>) -> tensor<5x3xf32>
  %b = stablehlo.broadcast_in_dim %frozen, dims = [1] : (tensor<3xf32>) -> tensor<5x3xf32>
  %z = stablehlo.add %y, %b : tensor<5x3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.constant dense<0.0> : tensor<5x3xf32>
  %kept = stablehlo.select %keep, %z, %zeros : tensor<5x3xi1>, tensor<5x3xf32>
  %loss = stablehlo.reduce(%kept init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<5x3xf32>, tensor<f32>) -> tensor<f32>
  %step = stablehlo.multiply %w, %rates : tensor<4x3xf32>
  %w2 = stablehlo.subtract %w, %step : tensor<4x3xf32>
  return %loss, %w2, %frozen, %next, %key2, %rate : tensor<f32>, tensor<4x3xf32>, tensor<3xf32>, tensor<i32>, tensor<2xui32>, tensor<f32>
})";
const std::vector<int> kUpdates = {1, 2, 3, 4, -1};

Literal numbers(const graph::Type& type, double first) {
  Literal literal{type, {}};
  for (std::int64_t i = 0; i < graph::element_count(type.shape); ++i) {
    literal.values.push_back(first + static_cast<double>(i % 3));
  }
  return literal;
}

template <typename Ports>
std::vector<std::string> names(const Ports& ports) {
  std::vector<std::string> all;
  for (const auto& port : ports) all.push_back(port.name);
  return all;
}

TEST_CASE("a step's scalars, keys and random tensors are the host's, the rest the device's",
          "[separate_numbers]") {
  const auto step = graph::read(kStep);
  const auto separated = lowering::separate_numbers(*step, kUpdates);
  using Names = std::vector<std::string>;
  CHECK(names(separated.numbers->inputs()) == Names{"count", "key"});
  CHECK(separated.fed == Names{"fed$0", "fed$1"});
  CHECK(names(separated.numbers->outputs()) ==
        Names{"fed$0", "fed$1", "result3", "result4", "result5"});
  CHECK(names(separated.device->inputs()) == Names{"w", "frozen", "x", "fed$0", "fed$1"});
  CHECK(names(separated.device->outputs()) == Names{"result0", "result1"});
  CHECK(separated.unchanged == Names{"frozen"});
  // A rate is fed as a number, though the step spreads it over a tensor.
  CHECK(separated.device->type(separated.device->inputs()[3].value) ==
        graph::Type{Element::kF32, {}});
  CHECK(separated.device->type(separated.device->inputs()[4].value) ==
        graph::Type{Element::kPred, {5, 3}});
  CHECK(separated.device->inputs()[0].updated_by == 1);
}

TEST_CASE("both parts of a step compute what the step does", "[separate_numbers]") {
  const auto step = graph::read(kStep);
  const auto separated = lowering::separate_numbers(*step, kUpdates);
  std::vector<Literal> inputs;
  for (const graph::Input& input : step->inputs()) {
    inputs.push_back(numbers(step->type(input.value), 2));
  }
  const auto expected = graph::evaluate(*step, inputs);
  const std::vector<Literal> known = {inputs[2], inputs[3]};
  auto host = graph::evaluate(*separated.numbers, known);
  for (double& word : host[1].values) word = word != 0 ? 1 : 0;  // all ones: a predicate
  host[1].type.element = Element::kPred;
  const std::vector<Literal> fed = {inputs[0], inputs[1], inputs[4], host[0], host[1]};
  const auto device = graph::evaluate(*separated.device, fed);
  CHECK(device[0] == expected[0]);
  CHECK(device[1] == expected[1]);
  CHECK(host[2] == expected[3]);
  CHECK(host[3] == expected[4]);
  CHECK(host[4] == expected[5]);
}

TEST_CASE("a scalar that the step updates from tensors is the device's", "[separate_numbers]") {
  const auto step = graph::read(R"(
func.func @main(%total: tensor<f32>, %x: tensor<3xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  %next = stablehlo.add %total, %sum : tensor<f32>
  return %next : tensor<f32>
})");
  const auto separated = lowering::separate_numbers(*step, std::vector{0, -1});
  CHECK(separated.numbers->inputs().empty());
  CHECK(separated.device->inputs()[0].updated_by == 0);
}

TEST_CASE("a step of numbers alone leaves nothing to the device", "[separate_numbers]") {
  const auto step = graph::read(
      "func.func @main(%n: tensor<i32>) -> tensor<i32> {\n"
      "  %0 = stablehlo.add %n, %n : tensor<i32>\n  return %0 : tensor<i32>\n}");
  CHECK(lowering::separate_numbers(*step, std::vector{0}).device == nullptr);
}

TEST_CASE("updates of other types, and two by one value, are refused", "[separate_numbers]") {
  const auto step = graph::read(kStep);
  using Catch::Contains;
  CHECK_THROWS_WITH(lowering::separate_numbers(*step, std::vector{0, -1, -1, -1, -1}),
                    Contains("input w is tensor<4x3xf32> and cannot become output result0"));
  const auto twice = graph::read(
      "func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {\n"
      "  %0 = stablehlo.add %a, %b : tensor<2xf32>\n"
      "  return %0, %0 : tensor<2xf32>, tensor<2xf32>\n}");
  CHECK_THROWS_WITH(lowering::separate_numbers(*twice, std::vector{0, 1}),
                    Contains("inputs a and b both become output result1"));
}

}  // namespace
}  // namespace systole::tests
