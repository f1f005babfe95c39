#include "host/graph/simplify.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "host/graph/gradient.h"
#include "host/graph/ops.h"
#include "host/graph/reference.h"
#include "operation_cases.h"

namespace systole::tests {
namespace {

using namespace graph;

const Type kVector{Element::kF32, {4}};

std::vector<std::string> names(const Graph& graph) {
  std::vector<std::string> names;
  for (const Operation& operation : graph.operations()) names.emplace_back(operation.kind->name);
  return names;
}
using Names = std::vector<std::string>;

TEST_CASE("simplifying changes no bit of any operation's result", "[graph]") {
  for (const OperationCase& item : operation_cases()) {
    INFO(item.name);
    const auto graph = build(item);
    const auto simple = simplify(*graph);
    CHECK_NOTHROW(simple->verify());
    CHECK(evaluate(*simple, random_inputs(item, 5)) == evaluate(*graph, random_inputs(item, 5)));
  }
}

TEST_CASE("constants are computed when the graph is simplified", "[graph]") {
  Graph graph;
  const Value x = graph.input("x", kVector);
  const Value two = constant(graph, {Element::kF32, {}}, 2);
  graph.output("y", x * (two * two + 1));
  const auto simple = simplify(graph);
  CHECK(names(*simple) == Names{"constant", "multiply"});
  CHECK(std::get<Literal>(simple->operations()[0].attributes[0]) == Literal{kVector, {5}});
}

TEST_CASE("equal operations are done once", "[graph]") {
  Graph graph;
  const Value x = graph.input("x", kVector);
  graph.output("y", tanh(x) * tanh(x));
  CHECK(names(*simplify(graph)) == Names{"tanh", "multiply"});
}

TEST_CASE("operations with different attributes are not merged", "[graph]") {
  Graph graph;
  const Value x = graph.input("x", {Element::kF32, {2, 2}});
  graph.output("y", sum(x, {0}) + sum(x, {1}));
  CHECK(names(*simplify(graph)) == Names{"constant", "reduce", "reduce", "add"});
}

TEST_CASE("operations that no output needs are removed", "[graph]") {
  Graph graph;
  const Value x = graph.input("x", kVector), unused = graph.input("unused", kVector);
  exponential(x + unused);
  graph.update(x, "y", -x);
  const auto simple = simplify(graph);
  CHECK(names(*simple) == Names{"negate"});
  CHECK(simple->inputs().size() == 2);
  CHECK(simple->inputs()[0].updated_by == 0);
}

TEST_CASE("slices of an unrolled loop are at known places", "[graph]") {
  const Type row{Element::kF32, {1, 3}};
  const auto at = [](Graph& graph, int place) {
    return constant(graph, {Element::kS32, {}}, place);
  };
  const auto loop = [&](Graph& graph, const std::vector<int>& places, int read) {
    const Value x = graph.input("x", row), y = graph.input("y", {Element::kF32, {4, 3}});
    Value stacked = broadcast_to(constant(graph, {Element::kF32, {}}, 2), {4, 3});
    Value carried = x;
    for (const int place : places) {
      const Value start[] = {at(graph, place), at(graph, 0)};
      carried = carried * dynamic_slice(y, start, {1, 3});
      stacked = dynamic_update_slice(stacked, carried, start);
    }
    const Value start[] = {at(graph, read), at(graph, 0)};
    graph.output("read", dynamic_slice(stacked, start, {2, 3}));
    graph.output("stacked", stacked);
  };
  // In order, again over the same row, and places that are moved until the row fits.
  for (const auto& [places, read] : std::vector<std::pair<std::vector<int>, int>>{
           {{0, 1, 2, 3}, 0}, {{3, 1}, 2}, {{2, 2, 0}, 1}, {{-5, 9}, 7}, {{}, 1}}) {
    Graph graph;
    loop(graph, places, read);
    const auto simple = simplify(graph);
    for (const std::string& name : names(*simple)) CHECK(!name.starts_with("dynamic"));
    const std::vector<Literal> inputs{
        {row, {1, 2, 3}}, {{Element::kF32, {4, 3}}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3}}};
    CHECK(evaluate(*simple, inputs) == evaluate(graph, inputs));
  }
}

TEST_CASE("operations that change nothing are removed", "[graph]") {
  Graph graph;
  const Value x = graph.input("x", {Element::kF32, {2, 3}});
  const Value same = reshape(transpose(transpose(x * 1, {1, 0}), {1, 0}), {6});
  graph.output("y", reshape(-(-same), {2, 3}) - 0);
  CHECK(names(*simplify(graph)).empty());
}

TEST_CASE("adding a positive zero stays, since it turns -0 into 0", "[graph]") {
  Graph graph;
  graph.output("y", graph.input("x", kVector) + 0);
  CHECK(names(*simplify(graph)) == Names{"constant", "add"});
}

// What JAX writes for a layer with a bias and a ReLU, and for its gradients.
TEST_CASE("broadcasts, sums and transposes of products join", "[graph]") {
  Graph graph;
  const Value x = graph.input("x", {Element::kF32, {5, 3}});
  const Value bias = graph.input("bias", kVector);
  const Value dy = graph.input("dy", {Element::kF32, {5, 4}});
  graph.output("repeated", broadcast_in_dim(broadcast_in_dim(bias, {1, 4}, {1}), {5, 4}, {0, 1}));
  const DotDimensions by_rows{.lhs_contracting = {0}, .rhs_contracting = {0}};
  graph.output("dw", transpose(dot_general(dy, x, by_rows), {1, 0}));
  graph.output("d_bias", sum(reshape(sum(dy, {0}), {1, 4}), {0}));
  const auto simple = simplify(graph);
  CHECK(names(*simple) == Names{"broadcast_in_dim", "dot_general", "constant", "reduce"});
  const std::vector<Literal> inputs = {random_literal(x.type(), -2, 2, 1),
                                       random_literal(kVector, -2, 2, 2),
                                       random_literal(dy.type(), -2, 2, 3)};
  CHECK(evaluate(*simple, inputs) == evaluate(graph, inputs));
}

TEST_CASE("a sum over dimensions of one element stays where it may be of -0", "[graph]") {
  Graph graph;
  const Value x = graph.input("x", {Element::kF32, {1, 4}});
  graph.output("y", sum(x, {0}));
  CHECK(names(*simplify(graph)) == Names{"constant", "reduce"});
}

TEST_CASE("a product that is used as it is keeps its transpose", "[graph]") {
  Graph graph;
  const Value a = graph.input("a", {Element::kF32, {2, 3}}),
              b = graph.input("b", {Element::kF32, {3, 4}});
  const Value y = matmul(a, b);
  graph.output("y", y);
  graph.output("t", transpose(y, {1, 0}));
  CHECK(names(*simplify(graph)) == Names{"dot_general", "transpose"});
}

TEST_CASE("a mask of what a ReLU reads becomes one of its result", "[graph]") {
  Graph graph;
  const Value x = graph.input("x", kVector);
  const Value zero = constant_like(x, 0);
  graph.output("y", maximum(x, zero));
  graph.output("mask", compare(x, "GT", zero));
  const auto simple = simplify(graph);
  const Operation& mask = simple->operations().back();
  CHECK(mask.kind->name == "compare");
  CHECK(simple->maker(mask.operands[0])->kind->name == "maximum");
  const Literal values{kVector, {1, -0.0, -3, std::nan("")}};
  CHECK(evaluate(*simple, std::vector{values})[1] == evaluate(graph, std::vector{values})[1]);
}

}  // namespace
}  // namespace systole::tests
