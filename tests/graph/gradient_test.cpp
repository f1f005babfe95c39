#include "host/graph/gradient.h"

#include <catch2/catch.hpp>

#include "host/graph/ops.h"
#include "host/graph/reference.h"
#include "operation_cases.h"

namespace systole::tests {
namespace {

using namespace graph;

// Central differences in double err by about step^2, 1e-10, plus 1e-16 / step of rounding.
constexpr double kStep = 1e-5;
constexpr double kTolerance = 1e-6;

// The loss is a sum of the output with distinct weights.
Value weighted_sum(Value y) {
  const Type flat{y.type().element, {element_count(y.shape())}};
  const Value weights = iota(y.graph(), flat, 0) * 0.25 + 1;
  return sum(reshape(y, flat.shape) * weights);
}

bool differentiable(const OperationCase& item) {
  const auto graph = build(item);
  const Operation& operation = graph->operations().back();
  return is_float(graph->type(operation.results[0]).element) &&
         std::ranges::any_of(item.inputs, [](const Type& type) { return is_float(type.element); });
}

void check_gradient(const OperationCase& item) {
  Graph graph;
  std::vector<Value> inputs, wanted;
  for (const Type& type : item.inputs) {
    inputs.push_back(graph.input(fmt::format("x{}", inputs.size()), type));
    if (type.element == Element::kF32) wanted.push_back(inputs.back());
  }
  const Value loss = weighted_sum(item.build(inputs));
  const auto found = gradients(loss, wanted);
  graph.output("loss", loss);
  for (std::size_t i = 0; i < found.size(); ++i) graph.output(fmt::format("d{}", i), found[i]);

  auto literals = random_inputs(item, 3);
  const auto outputs = evaluate(graph, literals, Rounding::kNone);
  std::size_t next = 1;
  for (std::size_t i = 0; i < literals.size(); ++i) {
    if (literals[i].type.element != Element::kF32) continue;
    for (std::size_t e = 0; e < literals[i].values.size(); ++e) {
      const auto loss_at = [&](double change) {
        auto moved = literals;
        moved[i].values[e] += change;
        return evaluate(graph, moved, Rounding::kNone)[0].values[0];
      };
      const double expected = (loss_at(kStep) - loss_at(-kStep)) / (2 * kStep);
      INFO("input " << i << ", element " << e);
      CHECK(outputs[next].values[e] == Approx(expected).epsilon(kTolerance).margin(kTolerance));
    }
    ++next;
  }
}

TEST_CASE("every gradient agrees with finite differences", "[graph]") {
  int checked = 0;
  for (const OperationCase& item : operation_cases()) {
    if (!differentiable(item)) continue;
    const auto graph = build(item);
    if (graph->operations().back().kind->gradient == nullptr) continue;
    if (item.name == "reduce by multiply" || item.name == "reduce of integers" ||
        item.name == "scatter by maximum" || item.name == "scatter that sets" ||
        item.inputs[0].element == Element::kBf16 ||
        graph->type(graph->outputs()[0].value).element == Element::kBf16) {
      continue;
    }
    INFO(item.name);
    check_gradient(item);
    ++checked;
  }
  CHECK(checked > 60);
}

// The kinds whose rules the test above covers.
TEST_CASE("the cases cover every gradient rule", "[graph]") {
  for (const OperationKind* kind : all_kinds()) {
    if (kind->gradient == nullptr) continue;
    INFO(kind->name);
    CHECK(std::ranges::any_of(operation_cases(), [&](const OperationCase& item) {
      return (item.name == kind->name || item.name.starts_with(std::string(kind->name) + " ")) &&
             differentiable(item);
    }));
  }
}

TEST_CASE("gradients of gradients are right", "[graph]") {
  Graph graph;
  const Value x = graph.input("x", {Element::kF32, {3}});
  const Value first = gradients(sum(x * x * x), std::vector{x})[0];
  const Value second = gradients(sum(first), std::vector{x})[0];
  graph.output("second", second);
  const Literal input{{Element::kF32, {3}}, {1, 2, -3}};
  CHECK(evaluate(graph, std::vector{input})[0].values == std::vector<double>{6, 12, -18});
}

TEST_CASE("a value used twice gets both gradients, an unused one zeros", "[graph]") {
  Graph graph;
  const Value x = graph.input("x", {Element::kF32, {2}}),
              unused = graph.input("y", {Element::kF32, {2}});
  const auto found = gradients(sum(x * 2 + x * 3), std::vector{x, unused});
  graph.output("d_x", found[0]);
  graph.output("d_y", found[1]);
  const Literal input{{Element::kF32, {2}}, {1, 1}};
  const auto outputs = evaluate(graph, std::vector{input, input});
  CHECK(outputs[0].values == std::vector<double>{5, 5});
  CHECK(outputs[1].at(0) == 0);
}

TEST_CASE("a detached value counts as a constant", "[graph]") {
  Graph graph;
  const Value x = graph.input("x", {Element::kF32, {}});
  const Value square = graph.detach(x * x);
  graph.output("d", gradients(square * x, std::vector{x})[0]);
  const Literal input{{Element::kF32, {}}, {3}};
  CHECK(evaluate(graph, std::vector{input})[0].values == std::vector<double>{9});
}

TEST_CASE("the maximum of x and 0 has slope 0 at 0", "[graph]") {
  Graph graph;
  const Value x = graph.input("x", {Element::kF32, {3}});
  graph.output("d", gradients(sum(maximum(x, constant_like(x, 0))), std::vector{x})[0]);
  const Literal input{{Element::kF32, {3}}, {-1, 0, 1}};
  CHECK(evaluate(graph, std::vector{input})[0].values == std::vector<double>{0, 0, 1});
}

TEST_CASE("operations without a gradient are refused by name", "[graph]") {
  Graph graph;
  const Value x = graph.input("x", {Element::kF32, {4}});
  const Value scalar = graph.input("s", {Element::kF32, {}});
  const std::vector wanted = {x};
  const auto product = [&] {
    const Graph::Scope layer(graph, "odd_layer");
    return reduce(x, constant_like(x, 1), "multiply", {0});
  }();
  CHECK_THROWS_WITH(gradients(product, wanted),
                    "odd_layer: reduce(tensor<4xf32>, tensor<f32>): has no gradient for a body of "
                    "multiply");
  const Value scattered =
      select_and_scatter(x, reshape(x, {4}), constant_like(x, 0), {.size = {1}});
  CHECK_THROWS_WITH(
      gradients(sum(scattered), wanted),
      "select_and_scatter(tensor<4xf32>, tensor<4xf32>, tensor<f32>): has no gradient; "
      "detach its result to train past it");
  CHECK_THROWS_WITH(gradients(x, wanted), "only a float scalar has gradients, not tensor<4xf32>");
  const Value number = graph.input("n", {Element::kS32, {}});
  CHECK_THROWS_WITH(gradients(scalar, std::vector{number}),
                    "tensor<i32> has no gradient: it is not a float");
}

}  // namespace
}  // namespace systole::tests
