// Rewrites of what JAX writes, before a step is cut into units.
#include <algorithm>
#include <catch2/catch.hpp>

#include "host/graph/ops.h"
#include "host/graph/reference.h"
#include "host/lowering/chosen_elements.h"
#include "host/lowering/plain_shapes.h"

namespace systole::tests {
namespace {

using graph::Element;
using graph::Graph;
using graph::Literal;
using graph::Value;

Literal numbers(const graph::Type& type, double first) {
  Literal literal{type, {}};
  for (std::int64_t i = 0; i < graph::element_count(type.shape); ++i) {
    literal.values.push_back(first + static_cast<double>(i % 7));
  }
  return literal;
}

bool has(const Graph& graph, std::string_view name) {
  return std::ranges::any_of(graph.operations(), [&](const graph::Operation& operation) {
    return operation.kind->name == name;
  });
}

TEST_CASE("broadcasts of dimensions of one become plain ones and reshapes", "[plain_shapes]") {
  Graph graph;
  const auto x = graph.input("x", {Element::kF32, {1, 5, 1}});
  const auto row = graph.input("row", {Element::kF32, {5}});
  graph.output("spread", graph::broadcast_in_dim(x, {3, 5, 7}, {0, 1, 2}));
  graph.output("shaped", graph::broadcast_in_dim(row, {1, 5}, {1}));
  graph.output("all", graph::broadcast_in_dim(graph::reshape(row, {5, 1}), {5, 4}, {0, 1}));
  const auto plain = lowering::plain_shapes(graph);
  for (const graph::Operation& operation : plain->operations()) {
    if (operation.kind->name != "broadcast_in_dim") continue;
    CHECK(plain->type(operation.operands[0]).shape == graph::Shape{5});
  }
  const std::vector<Literal> inputs = {numbers({Element::kF32, {1, 5, 1}}, 1),
                                       numbers({Element::kF32, {5}}, 4)};
  CHECK(graph::evaluate(*plain, inputs) == graph::evaluate(graph, inputs));
}

TEST_CASE("a conjunction over dimensions of one is a reshape", "[plain_shapes]") {
  Graph graph;
  const Value x = graph.input("x", {Element::kPred, {3, 1}});
  const Value all = graph::constant(graph, {Element::kPred, {}}, 1);
  graph.output("and", graph::reduce(x, all, "and", {1}));
  graph.output("over", graph::reduce(x, all, "and", {0}));
  const auto plain = lowering::plain_shapes(graph);
  const auto reductions = std::ranges::count_if(
      plain->operations(),
      [](const graph::Operation& operation) { return operation.kind->name == "reduce"; });
  CHECK(reductions == 1);
  const std::vector<Literal> inputs = {{{Element::kPred, {3, 1}}, {1, 0, 1}}};
  CHECK(graph::evaluate(*plain, inputs) == graph::evaluate(graph, inputs));
}

// One element of each of `rows` rows of five, and the gradient; labels are also outside.
void write_labels(Graph& graph, std::int64_t rows) {
  const Value x = graph.input("x", {Element::kF32, {rows, 5}});
  const Value labels = graph.input("labels", {Element::kS32, {rows, 1}});
  const Value d = graph.input("d", {Element::kF32, {rows}});
  const Value places[] = {graph::iota(graph, {Element::kS32, {rows, 1}}, 0), labels};
  const Value pairs = graph::concatenate(places, 1);
  graph.output("chosen", graph::gather(x, pairs,
                                       {.offset_dims = {},
                                        .collapsed_slice_dims = {0, 1},
                                        .start_index_map = {0, 1},
                                        .index_vector_dim = 1},
                                       {1, 1}));
  graph.output("d_x", graph::scatter(x, pairs, d, "add",
                                     {.update_window_dims = {},
                                      .inserted_window_dims = {0, 1},
                                      .scatter_dims_to_operand_dims = {0, 1},
                                      .index_vector_dim = 1}));
}

TEST_CASE("labels' elements and their gradient are comparisons", "[chosen_elements]") {
  const std::int64_t rows = GENERATE(1, 4, 9);
  Graph graph;
  write_labels(graph, rows);
  const auto rewritten = lowering::chosen_elements(graph);
  CHECK_FALSE(has(*rewritten, "gather"));
  CHECK_FALSE(has(*rewritten, "scatter"));
  const std::vector<Literal> inputs = {numbers({Element::kF32, {rows, 5}}, -3),
                                       numbers({Element::kS32, {rows, 1}}, -1),
                                       numbers({Element::kF32, {rows}}, 1)};
  CHECK(graph::evaluate(*rewritten, inputs) == graph::evaluate(graph, inputs));
}

TEST_CASE("gathers of other places stay", "[chosen_elements]") {
  Graph graph;
  const Value x = graph.input("x", {Element::kF32, {4, 5}});
  const Value pairs = graph.input("pairs", {Element::kS32, {4, 2}});
  graph.output("chosen", graph::gather(x, pairs,
                                       {.offset_dims = {},
                                        .collapsed_slice_dims = {0, 1},
                                        .start_index_map = {0, 1},
                                        .index_vector_dim = 1},
                                       {1, 1}));
  CHECK(has(*lowering::chosen_elements(graph), "gather"));
}

}  // namespace
}  // namespace systole::tests
