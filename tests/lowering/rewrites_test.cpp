// Rewrites of what JAX writes, before a step is cut into units.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "host/compiler/kernels/wide_kernels.h"
#include "host/compiler/rewrites/byte_words.h"
#include "host/compiler/rewrites/chosen_elements.h"
#include "host/compiler/rewrites/fold_rows.h"
#include "host/compiler/rewrites/plain_shapes.h"
#include "host/compiler/rewrites/row_sums.h"
#include "host/compiler/rewrites/rows_by_products.h"
#include "host/compiler/rewrites/wide_convolutions.h"
#include "host/graph/gradient.h"
#include "host/graph/ops.h"
#include "host/graph/reference.h"
#include "host/graph/simplify.h"

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

Literal spread(const graph::Type& type, double first, double step) {
  Literal literal{type, {}};
  for (std::int64_t i = 0; i < graph::element_count(type.shape); ++i) {
    literal.values.push_back(round_to(type.element, first + step * static_cast<double>(i)));
  }
  return literal;
}

TEST_CASE("bytes without a sign are words of 0 to 255", "[byte_words]") {
  constexpr Element kByte = Element::kU8;
  Graph graph;
  const graph::Type bytes{kByte, {64}}, floats{Element::kF32, {64}}, small{Element::kS8, {64}};
  const Value a = graph.input("a", bytes), b = graph.input("b", bytes);
  const Value x = graph.input("x", floats), n = graph.input("n", small);
  for (const auto* name : {"add", "subtract", "multiply", "divide", "remainder", "maximum", "and",
                           "xor", "shift_left", "shift_right_logical", "shift_right_arithmetic"}) {
    graph.output(name, graph.add(name, {a, b}));
  }
  for (const auto* name : {"negate", "not", "popcnt", "count_leading_zeros"}) {
    graph.output(name, graph.add(name, {a}));
  }
  for (const Element to : {Element::kF32, Element::kBf16, Element::kS32, Element::kU32,
                           Element::kS8, Element::kPred, kByte}) {
    graph.output(fmt::format("to_{}", to_string(to)), convert(a, to));
  }
  graph.output("of_floats", convert(x * 3, kByte));
  graph.output("of_int8", convert(n, kByte));
  graph.output("of_predicates", convert(compare(x, "GT", 0), kByte));
  graph.output("bits_of_int8", graph.add("bitcast_convert", {n}, {bytes}));
  graph.output("as_int8", graph.add("bitcast_convert", {a}, {small}));
  graph.output("sum", graph::reduce(a, graph::constant(graph, {kByte, {}}, 9), "add", {0}));
  graph.output("chosen", select(compare(a, "LT", b), a, b + 3));
  graph.output("places", graph::iota(graph, {kByte, {300}}, 0));
  const auto words = lowering::bytes_as_words(graph);
  REQUIRE(words != nullptr);
  for (int value = 0; value < static_cast<int>(words->value_count()); ++value) {
    CHECK(words->type(value).element != kByte);
  }
  std::vector<Literal> inputs = {spread(bytes, 3, 37), spread(bytes, 250, 91),
                                 spread(floats, -40, 2.75), spread(small, -128, 4)};
  const auto expected = graph::evaluate(graph, inputs);
  for (Literal& input : inputs) {
    if (input.type.element == kByte) input.type.element = Element::kS32;
  }
  const auto results = graph::evaluate(*words, inputs);
  for (std::size_t i = 0; i < results.size(); ++i) {
    INFO(graph.outputs()[i].name);
    CHECK(results[i].values == expected[i].values);
  }
  Graph without;
  without.output("y", without.input("x", floats) + 1);
  CHECK(lowering::bytes_as_words(without) == nullptr);
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

TEST_CASE("elements along one dimension are comparisons, several at each place too",
          "[chosen_elements]") {
  struct Along {
    graph::Shape x, labels;
    std::int64_t dimension = 0;
  };
  const auto [shape, chosen, along] = GENERATE(
      Along{{4, 5}, {4, 3}, 1}, Along{{1, 5}, {1, 2}, 1}, Along{{5, 4}, {1, 4}, 0},
      Along{{5, 4}, {3, 4}, 0}, Along{{2, 5, 3}, {2, 1, 3}, 1}, Along{{2, 5, 3}, {2, 2, 3}, 1});
  const Element element = GENERATE(Element::kF32, Element::kS32);
  const auto rank = std::ssize(shape);
  Graph graph;
  graph::Shape each = chosen;
  each.push_back(1);
  const Value x = graph.input("x", {element, shape});
  const Value label = graph.input("label", {Element::kS32, each});
  const Value d = graph.input("d", {element, chosen});
  std::vector<Value> places;
  for (std::int64_t i = 0; i < rank; ++i) {
    places.push_back(i == along ? label : iota(graph, label.type(), i));
  }
  const Value vectors = graph::concatenate(places, rank);
  const graph::Integers all = graph::counting(rank);
  graph.output("chosen", graph::gather(x, vectors,
                                       {.offset_dims = {},
                                        .collapsed_slice_dims = all,
                                        .start_index_map = all,
                                        .index_vector_dim = rank},
                                       graph::Shape(shape.size(), 1)));
  graph.output("d_x", graph::scatter(x, vectors, d, "add",
                                     {.update_window_dims = {},
                                      .inserted_window_dims = all,
                                      .scatter_dims_to_operand_dims = all,
                                      .index_vector_dim = rank}));
  const auto rewritten = lowering::chosen_elements(graph);
  CHECK_FALSE(has(*rewritten, "gather"));
  CHECK_FALSE(has(*rewritten, "scatter"));
  const std::vector<Literal> inputs = {numbers({element, shape}, -3),
                                       numbers({Element::kS32, each}, -1),
                                       numbers({element, chosen}, 1)};
  CHECK(graph::evaluate(*rewritten, inputs) == graph::evaluate(graph, inputs));
}

// As JAX writes take_along_axis of one row, and of a vector.
TEST_CASE("elements of one row are comparisons", "[chosen_elements]") {
  const bool is_vector = GENERATE(true, false);
  const std::int64_t count = GENERATE(1, 3);
  const graph::Shape shape = is_vector ? graph::Shape{5} : graph::Shape{1, 5};
  const graph::Shape chosen = is_vector ? graph::Shape{count} : graph::Shape{1, count};
  const graph::Integers window = is_vector ? graph::Integers{} : graph::Integers{0};
  const graph::Integers along = {is_vector ? 0 : 1};
  Graph graph;
  const Value x = graph.input("x", {Element::kF32, shape});
  const Value labels = graph.input("labels", {Element::kS32, {count, 1}});
  const Value d = graph.input("d", {Element::kF32, chosen});
  graph.output("chosen", graph::gather(x, labels,
                                       {.offset_dims = window,
                                        .collapsed_slice_dims = along,
                                        .start_index_map = along,
                                        .index_vector_dim = 1},
                                       graph::Shape(shape.size(), 1)));
  graph.output("d_x", graph::scatter(x, labels, d, "add",
                                     {.update_window_dims = window,
                                      .inserted_window_dims = along,
                                      .scatter_dims_to_operand_dims = along,
                                      .index_vector_dim = 1}));
  const auto rewritten = lowering::chosen_elements(graph);
  CHECK_FALSE(has(*rewritten, "gather"));
  CHECK_FALSE(has(*rewritten, "scatter"));
  const std::vector<Literal> inputs = {numbers({Element::kF32, shape}, -3),
                                       numbers({Element::kS32, {count, 1}}, -1),
                                       numbers({Element::kF32, chosen}, 1)};
  CHECK(graph::evaluate(*rewritten, inputs) == graph::evaluate(graph, inputs));
}

TEST_CASE("elements of rows of any rank are comparisons", "[chosen_elements]") {
  const graph::Shape rows = GENERATE(graph::Shape{2, 3}, graph::Shape{1, 4}, graph::Shape{3, 1, 2});
  const auto rank = std::ssize(rows);
  Graph graph;
  graph::Shape table = rows, each = rows;
  table.push_back(5);
  each.push_back(1);
  const Value x = graph.input("x", {Element::kF32, table});
  const Value label = graph.input("label", {Element::kS32, each});
  const Value d = graph.input("d", {Element::kF32, rows});
  std::vector<Value> places;
  for (std::int64_t i = 0; i < rank; ++i) places.push_back(iota(graph, label.type(), i));
  places.push_back(label);
  const Value vectors = graph::concatenate(places, rank);
  const graph::Integers all = graph::counting(rank + 1);
  graph.output("chosen", graph::gather(x, vectors,
                                       {.offset_dims = {},
                                        .collapsed_slice_dims = all,
                                        .start_index_map = all,
                                        .index_vector_dim = rank},
                                       graph::Integers(all.size(), 1)));
  graph.output("given", graph::scatter(x, vectors, d, "add",
                                       {.update_window_dims = {},
                                        .inserted_window_dims = all,
                                        .scatter_dims_to_operand_dims = all,
                                        .index_vector_dim = rank}));
  const auto rewritten = lowering::chosen_elements(graph);
  CHECK_FALSE(has(*rewritten, "gather"));
  CHECK_FALSE(has(*rewritten, "scatter"));
  const std::vector<Literal> inputs = {numbers(x.type(), -3), numbers(label.type(), -1),
                                       numbers(d.type(), 1)};
  CHECK(graph::evaluate(*rewritten, inputs) == graph::evaluate(graph, inputs));
}

TEST_CASE("elements of rows in another order stay a gather", "[chosen_elements]") {
  Graph graph;
  const Value x = graph.input("x", {Element::kF32, {3, 3, 5}});
  const Value label = graph.input("label", {Element::kS32, {3, 3, 1}});
  const std::vector<Value> places = {iota(graph, label.type(), 1), iota(graph, label.type(), 0),
                                     label};
  graph.output("chosen", graph::gather(x, graph::concatenate(places, 2),
                                       {.offset_dims = {},
                                        .collapsed_slice_dims = {0, 1, 2},
                                        .start_index_map = {0, 1, 2},
                                        .index_vector_dim = 2},
                                       {1, 1, 1}));
  CHECK(has(*lowering::chosen_elements(graph), "gather"));
}

TEST_CASE("rows of any shape that vectors of one number choose are products",
          "[rows_by_products]") {
  Graph graph;
  const Value table = graph.input("table", {Element::kF32, {4, 2, 3}});
  const Value word = graph.input("word", {Element::kS32, {2, 1, 5}});
  const Value d = graph.input("d", {Element::kF32, {2, 5, 2, 3}});
  graph.output("rows", graph::gather(table, word,
                                     {.offset_dims = {2, 3},
                                      .collapsed_slice_dims = {0},
                                      .start_index_map = {0},
                                      .index_vector_dim = 1},
                                     {1, 2, 3}));
  graph.output("given", graph::scatter(table, word, d, "add",
                                       {.update_window_dims = {2, 3},
                                        .inserted_window_dims = {0},
                                        .scatter_dims_to_operand_dims = {0},
                                        .index_vector_dim = 1}));
  const auto rewritten = lowering::rows_by_products(graph);
  CHECK_FALSE(has(*rewritten, "gather"));
  CHECK_FALSE(has(*rewritten, "scatter"));
  const std::vector<Literal> inputs = {numbers(table.type(), -3), numbers(word.type(), -1),
                                       numbers(d.type(), 1)};
  CHECK(graph::evaluate(*rewritten, inputs) == graph::evaluate(graph, inputs));
}

TEST_CASE("a gather of one slice at a known place is a slice", "[plain_shapes]") {
  Graph graph;
  const Value x = graph.input("x", {Element::kF32, {4, 3, 5}});
  const double first = GENERATE(-2, 1, 9);  // a gather takes the nearest that is inside
  const Value place = graph::constant(graph, Literal{{Element::kS32, {2}}, {first, 2}});
  graph.output("part", graph::gather(x, place,
                                     {.offset_dims = {0, 1},
                                      .collapsed_slice_dims = {1},
                                      .start_index_map = {2, 1},
                                      .index_vector_dim = 0},
                                     {4, 1, 2}));
  const auto plain = lowering::plain_shapes(graph);
  CHECK_FALSE(has(*plain, "gather"));
  const std::vector<Literal> inputs = {numbers(x.type(), 1)};
  CHECK(graph::evaluate(*plain, inputs) == graph::evaluate(graph, inputs));
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

std::int64_t count(const Graph& graph, std::string_view name) {
  return std::ranges::count_if(graph.operations(), [&](const graph::Operation& operation) {
    return operation.kind->name == name;
  });
}

void check_near(const Graph& found, const Graph& expected, const std::vector<Literal>& inputs) {
  const auto some = graph::evaluate(found, inputs), others = graph::evaluate(expected, inputs);
  REQUIRE(some.size() == others.size());
  for (std::size_t i = 0; i < some.size(); ++i) {
    REQUIRE(some[i].values.size() == others[i].values.size());
    for (std::size_t k = 0; k < some[i].values.size(); ++k) {
      CHECK(some[i].values[k] == Approx(others[i].values[k]).epsilon(1e-5).margin(1e-4));
    }
  }
}

TEST_CASE("squares of distances are added up in the mean's pass, and linear sums are known",
          "[row_sums]") {
  const graph::Type images{Element::kF32, {4, 3, 2, 5}};
  Graph graph;
  const Value x = graph.input("x", images), d = graph.input("d", images);
  const Value scale = graph.input("scale", {Element::kF32, {5}});
  const auto all = [&](Value value) { return broadcast_to(value, images.shape); };
  const Value average = mean(x, {0, 1, 2}), distance = x - all(average);
  const Value variance = mean(distance * distance, {0, 1, 2});
  const Value total = sum(d, {0, 1, 2});
  graph.output("variance", variance);
  graph.output("average", average);
  graph.output("total", total);
  graph.output("linear", sum(d * all(scale) - distance * all(variance), {0, 1, 2}));
  graph.output("none", sum(distance, {0, 1, 2}));
  const auto merged = lowering::merge_row_sums(*graph::simplify(graph));
  CHECK(count(graph, "reduce") == 5);
  // Of the first image, of the distances from its mean, of their squares, and of d.
  CHECK(count(*merged, "reduce") == 4);
  check_near(*merged, graph,
             {numbers(images, 3), numbers(images, -2), numbers({Element::kF32, {5}}, 1)});
  const Literal same{images, {7.25}};  // the variance is 0, not less
  check_near(*merged, graph, {same, same, numbers({Element::kF32, {5}}, 1)});
}

TEST_CASE("rows that are not whole words are laid side by side", "[fold_rows]") {
  const graph::Type rows{Element::kF32, {256, 3}};
  Graph graph;
  const Value x = graph.input("x", rows), w = graph.input("w", {Element::kF32, {3, 3}});
  const Value column = graph.input("column", {Element::kF32, {3}});
  graph.output("added", x * broadcast_to(column, rows.shape));
  graph.output("sums", sum(x * x, {0}));
  graph.output("product", matmul(x, w) + broadcast_to(column, rows.shape));  // as the array adds it
  const auto folded = lowering::fold_rows(graph, 4);
  check_near(
      *folded, graph,
      {numbers(rows, 1), numbers({Element::kF32, {3, 3}}, 2), numbers({Element::kF32, {3}}, 5)});
  std::vector<graph::Shape> wide;
  for (const graph::Operation& operation : folded->operations()) {
    if (operation.kind->name == "broadcast_in_dim") {
      wide.push_back(folded->type(operation.results[0]).shape);
    }
  }
  const auto has_shape = [&](const graph::Shape& shape) {
    return std::ranges::count(wide, shape) == 1;
  };
  CHECK((has_shape({4, 3}) && has_shape({64, 12}) && has_shape({256, 3})));
  CHECK(count(*folded, "reduce") == 2);
  // Whole words and few rows stay.
  CHECK(count(*lowering::fold_rows(graph, 1), "reduce") == 1);
  CHECK(count(*lowering::fold_rows(graph, 32), "reduce") == 1);
}

/// A convolution with bias, ReLU and perhaps a pooling, and the gradients of all of it. Numbers are
/// small integers, so sums are exact in any order.
struct WideCase {
  std::int64_t height = 6, width = 8, channels = 1, filters = 3, kernel = 3, kernel_height = 3;
  bool is_same = true;
  graph::Integers pool = {};  ///< none
  bool reads_pixels = false;  ///< an output is the convolution's result itself
  int lanes = 16;
  std::int64_t pixels = 4, apart = 1;  ///< expected
};

Graph& write(const WideCase& one, Graph& graph) {
  const Value x = graph.input("x", {Element::kF32, {2, one.height, one.width, one.channels}});
  const Value w =
      graph.input("w", {Element::kF32, {one.kernel_height, one.kernel, one.channels, one.filters}});
  const Value bias = graph.input("bias", {Element::kF32, {one.filters}});
  const auto low = [&](std::int64_t size) { return one.is_same ? (size - 1) / 2 : 0; };
  const auto high = [&](std::int64_t size) { return one.is_same ? size / 2 : 0; };
  const Value sums = graph::convolution(x, w, "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
                                        {.low = {low(one.kernel_height), low(one.kernel)},
                                         .high = {high(one.kernel_height), high(one.kernel)}});
  Value y = graph::maximum(sums + graph::broadcast_in_dim(bias, sums.shape(), {3}),
                           graph::constant_like(sums, 0));
  if (one.reads_pixels) graph.output("sums", sums);
  if (!one.pool.empty()) {
    const graph::Integers size = {1, one.pool[0], one.pool[1], 1};
    const Value least = graph::constant(graph, {Element::kF32, {}}, -INFINITY);
    y = graph::reduce_window(y, least, "maximum", {.size = size, .strides = size});
  }
  graph.output("y", y);
  const Value weights = graph.input("weights", y.type()), all[] = {x, w, bias};
  const auto gradients = graph::gradients(graph::sum(y * weights), all);
  graph.output("d_x", gradients[0]);
  graph.output("d_w", gradients[1]);
  graph.output("d_bias", gradients[2]);
  return graph;
}

TEST_CASE("pixels of a convolution are taken together and give the same", "[wide]") {
  const std::vector<WideCase> cases = {
      {},
      {.width = 9, .pixels = 3},
      {.width = 2, .kernel = 2, .kernel_height = 4, .pixels = 2},
      {.width = 12, .kernel = 5, .kernel_height = 1, .pool = {2, 2}, .pixels = 6, .apart = 2},
      {.width = 12, .filters = 4, .kernel = 2, .pool = {3, 3}, .pixels = 6, .apart = 3},
      {.width = 8, .kernel = 5, .is_same = false, .pool = {2, 2}, .pixels = 4, .apart = 2},
      {.width = 10, .is_same = false, .pool = {2, 2}, .pixels = 2, .apart = 2},
      {.height = 7, .pool = {2, 2}, .apart = 2},
      {.pool = {2, 2}, .reads_pixels = true},
      {.width = 16, .channels = 3, .filters = 8, .pool = {2, 2}, .lanes = 128, .apart = 2},
      {.width = 16,
       .channels = 8,
       .filters = 16,
       .pool = {2, 4},
       .lanes = 64,
       .pixels = 4,
       .apart = 4},
  };
  for (const WideCase& one : cases) {
    CAPTURE(&one - cases.data());
    Graph whole;
    const auto simple = graph::simplify(write(one, whole));
    const Graph& graph = *simple;
    const auto wide = lowering::widen_convolutions(graph, {.array_size = one.lanes});
    wide->verify();
    std::vector<graph::Integers> found;
    for (const graph::Operation& operation : wide->operations()) {
      if (!lowering::is_wide_kernel(operation)) continue;
      const graph::Call call = wide->call(operation);
      found.push_back({call.integer("pixels"), call.integer("apart")});
    }
    CHECK(found == std::vector<graph::Integers>{{one.pixels, one.apart}});
    std::vector<Literal> inputs;
    for (const graph::Input& input : graph.inputs()) {
      Literal values{graph.type(input.value), {}};
      for (std::int64_t i = 0; i < graph::element_count(values.type.shape); ++i) {
        values.values.push_back(static_cast<double>((i * 37 + 11 * std::ssize(inputs)) % 13 - 6));
      }
      inputs.push_back(std::move(values));
    }
    CHECK(graph::evaluate(*wide, inputs) == graph::evaluate(graph, inputs));
  }
}

TEST_CASE("convolutions of which pixels cannot be taken together stay", "[wide]") {
  const std::vector<WideCase> cases = {
      {.kernel = 4, .is_same = false},  // 8 pixels become 5
      {.channels = 16, .filters = 16},  // full rows and columns
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CAPTURE(i);
    Graph graph;
    const auto simple = graph::simplify(write(cases[i], graph));
    const auto wide = lowering::widen_convolutions(*simple, {.array_size = cases[i].lanes});
    const auto count = std::ranges::count_if(wide->operations(), lowering::is_wide_kernel);
    CHECK(count == 0);
  }
}

TEST_CASE("a wide kernel must hold its kernel", "[wide]") {
  Graph graph;
  const Value w = graph.input("w", {Element::kF32, {3, 3, 2, 4}});
  CHECK_THROWS_WITH(lowering::wide_kernel(w, {.pixels = 4, .apart = 2, .width = 2, .first = 3}),
                    Catch::Contains("2 wide pixels of 4 do not hold the kernel"));
  CHECK_THROWS_AS(lowering::wide_kernel(w, {.pixels = 4, .apart = 3, .width = 3, .first = 3}),
                  graph::GraphError);
  CHECK(lowering::wide_kernel(w, {.pixels = 4, .apart = 2, .width = 2, .first = 2}).shape() ==
        graph::Shape{3, 2, 8, 16});
}

}  // namespace
}  // namespace systole::tests
