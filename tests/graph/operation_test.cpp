#include <catch2/catch.hpp>

#include "host/graph/attribute.h"
#include "host/graph/ops.h"
#include "host/graph/reference.h"
#include "operation_cases.h"

namespace systole::tests {
namespace {

using namespace graph;

constexpr Element kF32 = Element::kF32;

TEST_CASE("every operation has a case", "[graph]") {
  for (const OperationKind* kind : all_kinds()) {
    INFO(kind->name);
    CHECK(std::ranges::any_of(operation_cases(), [&](const OperationCase& item) {
      return item.name == kind->name || item.name.starts_with(std::string(kind->name) + " ");
    }));
  }
}

TEST_CASE("a graph of every operation verifies and evaluates to the inferred type", "[graph]") {
  for (const OperationCase& item : operation_cases()) {
    INFO(item.name);
    const auto graph = build(item);
    CHECK_NOTHROW(graph->verify());
    const Literal y = evaluate(*graph, random_inputs(item, 1))[0];
    CHECK(y.type == graph->type(graph->outputs()[0].value));
    CHECK(static_cast<std::int64_t>(y.values.size()) == element_count(y.type.shape));
  }
}

std::vector<double> values(const std::function<Value(Graph&)>& build) {
  Graph graph;
  graph.output("y", build(graph));
  return evaluate(graph, {})[0].values;
}

Value list(Graph& graph, std::vector<double> numbers) {
  const auto count = static_cast<std::int64_t>(numbers.size());
  return constant(graph, Literal{{kF32, {count}}, std::move(numbers)});
}

TEST_CASE("an attribute is found by its name, in its form", "[graph]") {
  Graph graph;
  const Value y = reverse(list(graph, {1, 2}), {0});
  const Operation& operation = *graph.maker(y.id());
  CHECK(attribute<Integers>(operation, "dimensions") == Integers{0});
  CHECK_THROWS_WITH(attribute<Integers>(operation, "permutation"),
                    Catch::Contains("has no attribute permutation"));
  CHECK_THROWS_WITH(attribute<std::string>(operation, "dimensions"),
                    Catch::Contains("attribute dimensions has the wrong form"));
}

TEST_CASE("the oracle computes what StableHLO's specification shows", "[graph]") {
  using V = std::vector<double>;
  CHECK(values([](Graph& g) { return list(g, {1, 2}) + 0.5; }) == V{1.5, 2.5});
  CHECK(values([](Graph& g) { return slice(list(g, {0, 1, 2, 3, 4, 5}), {1}, {6}, {2}); }) ==
        V{1, 3, 5});
  CHECK(values([](Graph& g) {
          return pad(list(g, {1, 2, 3}), constant(g, {kF32, {}}, 9), {1}, {-1}, {1});
        }) == V{9, 1, 9, 2, 9});
  CHECK(values([](Graph& g) {
          return matmul(reshape(list(g, {1, 2, 3, 4}), {2, 2}),
                        reshape(list(g, {5, 6, 7, 8}), {2, 2}));
        }) == V{19, 22, 43, 50});
  CHECK(values([](Graph& g) {
          return reduce_window(list(g, {3, 1, 2, 5}), constant(g, {kF32, {}}, 0), "add",
                               {.size = {2}, .strides = {2}});
        }) == V{4, 7});
  CHECK(values([](Graph& g) {
          return select_and_scatter(list(g, {3, 3, 2, 5}), list(g, {10, 20}),
                                    constant(g, {kF32, {}}, 0), {.size = {2}, .strides = {2}});
        }) == V{10, 0, 0, 20});
  CHECK(values([](Graph& g) {
          return convolution(reshape(list(g, {1, 2, 3, 4}), {1, 4, 1}),
                             reshape(list(g, {1, 10}), {2, 1, 1}), "[b, 0, f]x[0, i, o]->[b, 0, f]",
                             {.low = {1}, .high = {0}});
        }) == V{10, 21, 32, 43});
  CHECK(values([](Graph& g) {
          return take_rows(reshape(list(g, {1, 2, 3, 4}), {2, 2}),
                           convert(list(g, {1, 0, 7}), Element::kS32));
        }) == V{3, 4, 1, 2, 3, 4});
}

// Known answers of the authors' Random123: philox4x32 with ten rounds.
TEST_CASE("random bits are Philox's", "[graph]") {
  const auto bits = values(
      [](Graph& g) { return rng_bit_generator(constant(g, {Element::kU32, {4}}, 0), {4}).bits; });
  CHECK(bits == std::vector<double>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
}

TEST_CASE("the generator's state continues where its bits ended", "[graph]") {
  const auto joined = values([](Graph& g) {
    const RandomBits first = rng_bit_generator(constant(g, {Element::kU32, {4}}, 7), {8});
    const RandomBits second = rng_bit_generator(first.state, {4});
    return concatenate(std::vector{first.bits, second.bits}, 0);
  });
  CHECK(joined == values([](Graph& g) {
          return rng_bit_generator(constant(g, {Element::kU32, {4}}, 7), {12}).bits;
        }));
}

void check_refused(const std::function<void(Graph&)>& build, const std::string& message) {
  Graph graph;
  const std::size_t before = graph.value_count();
  try {
    build(graph);
  } catch (const GraphError& error) {
    CHECK(std::string(error.what()) == message);
    CHECK(graph.operations().size() + before == graph.value_count() - graph.inputs().size());
    return;
  }
  FAIL("nothing was refused: " << message);
}

TEST_CASE("shapes that do not fit are refused with the layer's name", "[graph]") {
  const Type a{kF32, {128, 784}}, b{kF32, {785, 10}}, images{kF32, {8, 28, 28, 1}};
  check_refused(
      [&](Graph& g) {
        const Value x = g.input("x", a), w = g.input("w", b);
        const Graph::Scope model(g, "model");
        const Graph::Scope layer(g, "dense_1");
        matmul(x, w);
      },
      "model/dense_1: dot_general(tensor<128x784xf32>, tensor<785x10xf32>): contracting dimensions "
      "have 784 and 785 elements");
  check_refused([&](Graph& g) { add(g.input("x", a), g.input("w", b)); },
                "add(tensor<128x784xf32>, tensor<785x10xf32>): the shapes do not broadcast");
  check_refused([&](Graph& g) { reshape(g.input("x", a), {5}); },
                "reshape(tensor<128x784xf32>): it cannot become tensor<5xf32>");
  check_refused([&](Graph& g) { transpose(g.input("x", a), {0, 0}); },
                "transpose(tensor<128x784xf32>): dimension 0 is named twice");
  check_refused(
      [&](Graph& g) { slice(g.input("x", a), {0, 0}, {129, 1}); },
      "slice(tensor<128x784xf32>): [0, 129) by 1 is not inside dimension 0, which has 128");
  check_refused([&](Graph& g) { tanh(g.input("i", {Element::kS32, {2}})); },
                "tanh(tensor<2xi32>): operand 0 is i32, not a float");
  check_refused(
      [&](Graph& g) {
        convolution(g.input("x", images), g.input("w", {kF32, {3, 3, 2, 4}}),
                    "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", {});
      },
      "convolution(tensor<8x28x28x1xf32>, tensor<3x3x2x4xf32>): an input of 1 features meets a "
      "kernel for 2");
  check_refused(
      [&](Graph& g) {
        convolution(g.input("x", images), g.input("w", images),
                    "[b, 0, 0, f]x[0, 1, i, o]->[b, 0, 1, f]", {});
      },
      "convolution(tensor<8x28x28x1xf32>, tensor<8x28x28x1xf32>): dimension_numbers [b, 0, 0, "
      "f]x[0, "
      "1, i, o]->[b, 0, 1, f]: a dimension is named twice");
  check_refused([&](Graph& g) { compare(g.input("x", a), "LESS", 1); },
                "compare(tensor<128x784xf32>, tensor<128x784xf32>): unknown direction LESS: choose "
                "from EQ, NE, LT, LE, GT, GE");
  check_refused([&](Graph& g) { constant(g, Literal{{kF32, {2}}, {1, 2, 3}}); },
                "constant(): 3 values cannot fill tensor<2xf32>");
}

TEST_CASE("invalid names and other graphs' values are refused", "[graph]") {
  Graph graph, other;
  const Value x = graph.input("x", {kF32, {}});
  CHECK_THROWS_WITH(graph.input("x", {kF32, {}}), "the name x is taken");
  CHECK_THROWS_WITH(
      graph.input("1.dense", {kF32, {}}),
      "'1.dense' is not a name: write a letter or _, then letters, digits and any of _.$-");
  CHECK_THROWS_WITH(x + other.input("y", {kF32, {}}), "add: a value belongs to another graph");
  CHECK_THROWS_WITH(graph.update(x + 1, "new", x),
                    "new: only an input can be updated, and only once");
  CHECK_THROWS_WITH(find_kind("sort"), "unknown operation 'sort'");
  CHECK_THROWS_WITH(graph.input("huge", {kF32, {1 << 30, 1 << 30}}),
                    "input huge: [1073741824, 1073741824] is not a valid shape");
}

}  // namespace
}  // namespace systole::tests
