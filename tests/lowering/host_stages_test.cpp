#include "host/compiler/rewrites/host_stages.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "host/graph/reference.h"
#include "host/graph/text.h"

namespace systole::tests {
namespace {

using Names = std::vector<std::string>;

// A product, an angle that the device lacks, one more product, and a weight that both read.
constexpr const char* kStep = R"(
func.func @main(%w: tensor<3x3xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<2x3xf32>)
    -> (tensor<3x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %a = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %one = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %b = stablehlo.atan2 %a, %one : tensor<2x3xf32>
  %c = stablehlo.reshape %b : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %d = stablehlo.dot_general %c, %x, contracting_dims = [1] x [0] : (tensor<3x2xf32>, tensor<2x3xf32>) -> tensor<3x3xf32>
  %e = stablehlo.subtract %w, %d : tensor<3x3xf32>
  %f = stablehlo.cbrt %b : tensor<2x3xf32>
  return %e, %a, %f : tensor<3x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
})";

bool is_angle(const graph::Operation& operation) {
  return operation.kind->name == "atan2" || operation.kind->name == "cbrt";
}

Names inputs_of(const graph::Graph& graph) {
  Names names;
  for (const graph::Input& input : graph.inputs()) names.push_back(input.name);
  return names;
}
Names outputs_of(const graph::Graph& graph) {
  Names names;
  for (const graph::Output& output : graph.outputs()) names.push_back(output.name);
  return names;
}

TEST_CASE("what a device lacks is the host's between two stages", "[host_stages]") {
  const auto step = graph::read(kStep);
  const auto stages = lowering::cut_stages(*step, is_angle);
  REQUIRE(stages.size() == 2);
  CHECK(inputs_of(*stages[0].device) == Names{"x", "w"});
  CHECK(outputs_of(*stages[0].device) == Names{"result1", "between$2"});
  CHECK(inputs_of(*stages[0].host) == Names{"between$2"});
  CHECK(outputs_of(*stages[0].host) == Names{"result2", "between$4"});
  CHECK(stages[1].host == nullptr);
  CHECK(inputs_of(*stages[1].device) == Names{"between$4", "x", "w"});
  CHECK(outputs_of(*stages[1].device) == Names{"result0"});
  CHECK(stages[0].device->inputs()[1].updated_by == -1);  // as it is before the step
  CHECK(stages[1].device->inputs()[2].updated_by == 0);
  for (const lowering::Stage& stage : stages) {
    CHECK_NOTHROW(stage.device->verify());
    CHECK((lowering::is_between(outputs_of(*stage.device).back()) || &stage != stages.data()));
  }
}

TEST_CASE("a step that the device can do is one stage, as it was", "[host_stages]") {
  const auto step = graph::read(kStep);
  const auto stages = lowering::cut_stages(*step, [](const graph::Operation&) { return false; });
  REQUIRE(stages.size() == 1);
  CHECK(stages[0].host == nullptr);
  CHECK(outputs_of(*stages[0].device) == outputs_of(*step));
  std::vector<graph::Literal> x = {{.type = {graph::Element::kF32, {2, 3}}, .values = {0.5}}};
  x.push_back({.type = {graph::Element::kF32, {3, 3}}, .values = {2}});
  CHECK(inputs_of(*stages[0].device) == Names{"x", "w"});
  CHECK(graph::evaluate(*stages[0].device, x) ==
        graph::evaluate(*step, std::vector<graph::Literal>{x[1], x[0]}));
}

TEST_CASE("a state that the host computes is updated by the next stage", "[host_stages]") {
  const auto step = graph::read(R"(
func.func @main(%w: tensor<2x2xf32> {tf.aliasing_output = 0 : i32}) -> tensor<2x2xf32> {
  %a = stablehlo.dot_general %w, %w, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %b = stablehlo.cbrt %a : tensor<2x2xf32>
  return %b : tensor<2x2xf32>
})");
  const auto stages = lowering::cut_stages(*step, is_angle);
  REQUIRE(stages.size() == 2);
  CHECK(outputs_of(*stages[0].host) == Names{"between$2"});
  CHECK(inputs_of(*stages[1].device) == Names{"w", "between$2"});
  CHECK(stages[1].device->inputs()[0].updated_by == 0);
}

}  // namespace
}  // namespace systole::tests
