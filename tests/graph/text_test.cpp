#include "host/graph/text.h"

#include <catch2/catch.hpp>
#include <optional>

#include "host/graph/gradient.h"
#include "host/graph/ops.h"
#include "host/graph/reference.h"
#include "operation_cases.h"

namespace systole::tests {
namespace {

using namespace graph;

// A layer, its loss and its update: most of the text's features.
std::unique_ptr<Graph> small_step() {
  auto graph = std::make_unique<Graph>();
  const Value x = graph->input("x", {Element::kF32, {4, 3}});
  const Value w = graph->input("w", {Element::kF32, {3, 2}});
  const Value state = graph->input("state", {Element::kU32, {4}});
  std::optional<Graph::Scope> layer(std::in_place, *graph, "dense");
  const Value y = matmul(x, w);
  layer.reset();
  const RandomBits random = rng_bit_generator(state, y.shape());
  const Value kept = select(compare(random.bits, "GE", 0x8000'0000), y, constant_like(y, 0));
  const Value largest = graph->detach(max(kept, {1}));
  const Value loss = sum(exponential(kept - repeat(largest, y.shape(), {1})));
  const Value d_w = gradients(loss, std::vector{w})[0];
  graph->output("loss", loss);
  graph->update(w, "new_w", w - d_w * 0.1);
  graph->update(state, "new_state", random.state);
  return graph;
}

constexpr std::string_view kSmall = R"(module {
  func.func public @main(%x: tensor<2xf32>,
      %w: tensor<2xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<2xf32> {jax.result_info = "new"}) {
    %0 = "stablehlo.constant"() <{value = dense<0.1> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2xf32>
    %2 = "stablehlo.multiply"(%x, %1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> loc("layer")
    %3 = "stablehlo.subtract"(%w, %2) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %3 : tensor<2xf32>
  }
}
)";

TEST_CASE("a graph prints as StableHLO in its generic form", "[graph]") {
  Graph graph;
  const Value x = graph.input("x", {Element::kF32, {2}});
  const Value w = graph.input("w", {Element::kF32, {2}});
  const Value rate = broadcast_to(constant(graph, {Element::kF32, {}}, 0.1), {2});
  std::optional<Graph::Scope> layer(std::in_place, graph, "layer");
  const Value step = x * rate;
  layer.reset();
  graph.update(w, "new", w - step);
  const std::string text = print(graph);
  CHECK(text.substr(0, text.find("// checksum")) == kSmall);
}

TEST_CASE("every operation reads back as it was printed", "[graph]") {
  for (const OperationCase& item : operation_cases()) {
    INFO(item.name);
    const std::string text = print(*build(item));
    INFO(text);
    const auto again = read(text);
    CHECK(print(*again) == text);
    const auto inputs = random_inputs(item, 2);
    CHECK(evaluate(*again, inputs) == evaluate(*build(item), inputs));
  }
}

TEST_CASE("scopes, names, updates and detached values read back", "[graph]") {
  const auto graph = small_step();
  const auto again = read(print(*graph));
  CHECK(print(*again) == print(*graph));
  CHECK(again->inputs()[1].updated_by == 1);
  CHECK(again->outputs()[1].name == "new_w");
  CHECK(std::ranges::count(again->operations(), true, &Operation::detached) == 1);
}

// As jax.jit(...).lower(...).compiler_ir("stablehlo") prints it in generic form: attributes of
// later versions, locations, other names of values.
TEST_CASE("text written by JAX is read", "[graph]") {
  const auto graph = read(
      R"(module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>) -> (tensor<2xf32> {jax.result_info = "result"}) {
    %0 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %1 = "stablehlo.tanh"(%0) <{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %2 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %3 = "stablehlo.reduce"(%1, %2) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %4 = "stablehlo.add"(%arg2, %arg3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%4) : (tensor<f32>) -> ()
    }) : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
    return %3 : tensor<2xf32>
  }
})");
  CHECK(graph->operations().size() == 4);
  CHECK(graph->outputs()[0].name == "result");
}

void check_error(std::string text, std::string_view from, std::string_view to,
                 const std::string& message) {
  const std::size_t place = text.find(from);
  REQUIRE(place != std::string::npos);
  text.replace(place, from.size(), to);
  CHECK_THROWS_WITH(read(text), message);
}

TEST_CASE("errors in text name line and column", "[graph]") {
  const std::string text(kSmall);
  check_error(
      text, "subtract", "substract",
      "7:10: unknown operation 'substract': compute it outside of the function, or in plain JAX, "
      "which runs all of JAX's (docs/python.md)");
  check_error(text, "(%w, %2)", "(%w, %7)", "7:35: %7 is not defined here");
  check_error(text, "tensor<2xf32>,", "tensor<2xf33>,",
              "2:30: unknown element type 'f33': choose from f32, bf16, i32, ui32, i8, i1, ui8");
  check_error(text, "%3 =", "%2 =", "7:5: %2 is defined twice");
  check_error(text, "dense<0.1>", "dense<0.1.2>", "4:49: '0.1.2' is not a number in range");
  check_error(text, "return %3 :", "return :", "8:12: expected a value such as %0");
  check_error(text, "(%x, %1)", "(%x)",
              "6:5: layer: multiply(tensor<2xf32>): has 1 operands, not 2");
  check_error(text, "array<i64>", "array<i64: 0>",
              "5:5: broadcast_in_dim(tensor<f32>): broadcast_dimensions has 1 numbers, not one for "
              "each of 0 dimensions");
  check_error(text, "loc(\"layer\")", "loc(\"layer", "6:93: this string does not end");
  check_error(text, "tensor<2xf32>,", "tensor<99999999999999999999xf32>,",
              "2:37: this dimension is too large");
  check_error(text + "x", "}\nx", "}\nx",
              "11:1: expected nothing more: a graph is one function, or one module");
}

// Changes every byte in several ways; whatever still reads must mean the same.
TEST_CASE("a damaged text is refused or means the same", "[graph]") {
  const std::string text = print(*small_step());
  const std::string meaning = text.substr(0, text.find("// checksum"));
  int read_again = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const int change : {0x01, 0x02, 0x10, 0x20, 0x7f, 0x80, 0xff}) {
      std::string damaged = text;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      try {
        const std::string again = print(*read(damaged));
        CHECK(again.substr(0, again.find("// checksum")) == meaning);
        ++read_again;
      } catch (const GraphError&) {
      }
    }
  }
  CHECK(read_again > 0);  // damage within the comment's words
}

// Without a checksum the reader meets every damage itself: it may read another graph, but only a
// valid one.
TEST_CASE("a damaged text without a checksum never breaks the reader", "[graph]") {
  for (const OperationCase& item : operation_cases()) {
    std::string text = print(*build(item));
    text.resize(text.find("// checksum"));
    for (std::size_t i = 0; i < text.size(); ++i) {
      for (const char c : {'9', '-', '"', '}', '>', 'x'}) {
        std::string damaged = text;
        damaged[i] = c;
        try {
          read(damaged)->verify();
        } catch (const GraphError&) {
        }
      }
      try {
        read(text.substr(0, i))->verify();
      } catch (const GraphError&) {
      }
    }
  }
}

}  // namespace
}  // namespace systole::tests
