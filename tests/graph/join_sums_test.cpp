#include "host/graph/join_sums.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "host/graph/gradient.h"
#include "host/graph/ops.h"
#include "host/graph/reference.h"
#include "host/graph/simplify.h"
#include "operation_cases.h"

namespace systole::tests {
namespace {

using namespace graph;

constexpr double kOtherOrder = 1e-12;  // additions in double, in another order

std::int64_t count(const Graph& graph, std::string_view kind) {
  return std::ranges::count(graph.operations(), kind,
                            [](const Operation& operation) { return operation.kind->name; });
}

std::vector<Literal> numbered_inputs(const Graph& graph) {
  std::vector<Literal> inputs;
  for (const Input& input : graph.inputs()) {
    Literal& literal = inputs.emplace_back(Literal{graph.type(input.value), {}});
    for (std::int64_t i = 0; i < element_count(literal.type.shape); ++i) {
      literal.values.push_back(0.125 * static_cast<double>((7 * i + 3 * std::ssize(inputs)) % 11) -
                               0.5);
    }
  }
  return inputs;
}

// Joined, with unused operations removed.
std::unique_ptr<Graph> joined(const Graph& graph) {
  auto result = simplify(*join_sums(graph));
  result->verify();
  const auto inputs = numbered_inputs(graph);
  const auto before = evaluate(graph, inputs), after = evaluate(*result, inputs);
  REQUIRE(before.size() == after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    for (std::int64_t k = 0; k < element_count(before[i].type.shape); ++k) {
      CHECK(after[i].at(k) == Approx(before[i].at(k)).margin(kOtherOrder));
    }
  }
  return result;
}

TEST_CASE("the gradient of a weight used at every step is one product", "[graph]") {
  constexpr std::int64_t kSteps = 4;
  Graph graph;
  const Value x = graph.input("x", {Element::kF32, {kSteps, 2, 3}});
  const Value w = graph.input("w", {Element::kF32, {3, 3}});
  const Value b = graph.input("b", {Element::kF32, {3}});
  Value h = graph.input("h", {Element::kF32, {2, 3}});
  for (std::int64_t t = 0; t < kSteps; ++t) h = tanh(take(x, 0, t) + matmul(h, w) + b);
  const auto d = gradients(sum(h * h), std::vector{w, b, x});
  graph.output("dw", d[0]);
  graph.output("db", d[1]);
  graph.output("dx", d[2]);
  CHECK(count(graph, "dot_general") == 3 * kSteps - 1);  // the first state has no gradient
  const auto result = joined(graph);
  // A product forward at every step, one back at all but the first, and one for the weight.
  CHECK(count(*result, "dot_general") == 2 * kSteps);
  CHECK(count(*result, "pad") == 0);
  CHECK(count(*result, "reduce") == 1);
  // The steps' inputs and gradients, and those of x.
  CHECK(count(*result, "concatenate") == 3);
}

TEST_CASE("pads that fill the result become a concatenation, others stay", "[graph]") {
  Graph graph;
  const Value x = graph.input("x", {Element::kF32, {2, 2}}), y = graph.input("y", x.type());
  const Value zero = constant_like(take(take(x, 0, 0), 0, 0), 0);
  const auto part = [&](Value v, std::int64_t low, std::int64_t high) {
    return pad(v, zero, {low, 0}, {high, 0});
  };
  SECTION("side by side") {
    graph.output("z", x + (part(take(x, 0, 0, 1), 0, 1) + part(take(y, 0, 1, 2), 1, 0)));
    const auto result = joined(graph);
    CHECK(count(*result, "pad") == 0);
    CHECK(count(*result, "add") == 1);
  }
  SECTION("with a gap") {
    graph.output("z", part(x, 0, 3) + part(y, 3, 0));
    CHECK(count(*joined(graph), "pad") == 2);
  }
  SECTION("over each other") {
    graph.output("z", part(x, 0, 1) + part(y, 1, 0));
    CHECK(count(*joined(graph), "pad") == 2);
  }
  SECTION("used elsewhere, too") {
    const Value upper = part(take(x, 0, 0, 1), 0, 1);
    graph.output("z", upper + part(take(y, 0, 1, 2), 1, 0));
    graph.output("upper", upper);
    CHECK(count(*joined(graph), "pad") == 1);
  }
}

TEST_CASE("of sums alone only those of products' operands are joined", "[graph]") {
  Graph graph;
  const Value x = graph.input("x", {Element::kF32, {2, 3}}), y = graph.input("y", x.type());
  graph.output("dw", matmul(x, transpose(y, {1, 0})) + matmul(y, transpose(x, {1, 0})));
  graph.output("factors", sum(x, {0}) + sum(y, {0}));
  graph.output("others", sum(x * x, {0}) + sum(y * y, {0}));
  const auto all = simplify(*join_sums(graph)),
             some = simplify(*join_sums(graph, SumsJoined::kOfFactors));
  CHECK(count(*all, "reduce") == 2);
  CHECK(count(*some, "reduce") == 3);
}

TEST_CASE("products of different shapes, or over columns, are not joined", "[graph]") {
  Graph graph;
  const Value x = graph.input("x", {Element::kF32, {2, 3}}), y = graph.input("y", x.type());
  const Value w = graph.input("w", {Element::kF32, {3, 3}});
  graph.output("by_columns", matmul(x, w) + matmul(y, w));
  const DotDimensions rows{.lhs_contracting = {0}, .rhs_contracting = {0}};
  graph.output("alone", dot_general(x, y, rows) + w);
  graph.output("detached", graph.detach(dot_general(x, x, rows)) + dot_general(y, y, rows));
  CHECK(count(*joined(graph), "dot_general") == 5);
}

TEST_CASE("joining leaves every operation's result unchanged", "[graph]") {
  for (const OperationCase& item : operation_cases()) {
    INFO(item.name);
    const auto graph = build(item);
    const auto result = join_sums(*graph);
    CHECK_NOTHROW(result->verify());
    CHECK(evaluate(*result, random_inputs(item, 5)) == evaluate(*graph, random_inputs(item, 5)));
  }
}

}  // namespace
}  // namespace systole::tests
