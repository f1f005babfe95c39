#include "host/graph/simplify.h"

#include <catch2/catch.hpp>

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

}  // namespace
}  // namespace systole::tests
