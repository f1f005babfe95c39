#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <iterator>

#include "host/graph/ops.h"
#include "host/graph/reference.h"
#include "host/graph/text.h"
#include "operation_cases.h"

namespace systole::tests {
namespace {

using namespace graph;

std::string jax_text(const std::string& name) {
  std::ifstream file(std::string(SYSTOLE_STABLEHLO_DIR "/") + name);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A function of one statement in either spelling.
std::string function_of(std::string_view arguments, std::string_view statement,
                        std::string_view result) {
  return fmt::format("func.func @main({0}) -> {2} {{\n  %r = {1}\n  return %r : {2}\n}}\n",
                     arguments, statement, result);
}

struct Spelling {
  std::string arguments, pretty, generic, result;
};

const std::vector<Spelling>& spellings() {
  static const std::string v = "tensor<2x3xf32>", s = "tensor<f32>";
  static const std::string x = "%x: " + v, xy = x + ", %y: " + v, xs = x + ", %s: " + s;
  static const std::vector<Spelling> kAll = {
      {xy, "stablehlo.add %x, %y : " + v,
       "\"stablehlo.add\"(%x, %y) : (" + v + ", " + v + ") -> " + v, v},
      {x, "chlo.square %x : " + v + " -> " + v,
       "\"stablehlo.multiply\"(%x, %x) : (" + v + ", " + v + ") -> " + v, v},
      {x, "chlo.erf_inv %x : " + v + " -> " + v, "\"stablehlo.erf_inv\"(%x) : (" + v + ") -> " + v,
       v},
      {x, "chlo.erfc %x : " + v + " -> " + v, "\"stablehlo.erfc\"(%x) : (" + v + ") -> " + v, v},
      {x, "chlo.erf %x : " + v + " -> " + v, "\"stablehlo.erf\"(%x) : (" + v + ") -> " + v, v},
      {x, "stablehlo.tanh %x {mhlo.hint = {a = 1}} : " + v,
       "\"stablehlo.tanh\"(%x) : (" + v + ") -> " + v, v},
      {"", "stablehlo.constant dense<[[1.0, 0x7FC00000, -2.5e-1]]> : tensor<1x3xf32>",
       "\"stablehlo.constant\"() <{value = dense<[[1.0, 0x7FC00000, -0.25]]> : tensor<1x3xf32>}> : "
       "() -> tensor<1x3xf32>",
       "tensor<1x3xf32>"},
      {"", "stablehlo.constant dense<\"0x0000803F000000C0\"> : tensor<2xf32>",
       "\"stablehlo.constant\"() <{value = dense<[1.0, -2.0]> : tensor<2xf32>}> : () -> "
       "tensor<2xf32>",
       "tensor<2xf32>"},
      {"", "stablehlo.constant dense<\"0x803F00C0\"> : tensor<2xbf16>",
       "\"stablehlo.constant\"() <{value = dense<[1.0, -2.0]> : tensor<2xbf16>}> : () -> "
       "tensor<2xbf16>",
       "tensor<2xbf16>"},
      {"", "stablehlo.constant dense<\"0x00FF01\"> : tensor<3xi8>",
       "\"stablehlo.constant\"() <{value = dense<[0, -1, 1]> : tensor<3xi8>}> : () -> tensor<3xi8>",
       "tensor<3xi8>"},
      {"", "stablehlo.constant dense<\"0x000101\"> : tensor<3xi1>",
       "\"stablehlo.constant\"() <{value = dense<[false, true, true]> : tensor<3xi1>}> : () -> "
       "tensor<3xi1>",
       "tensor<3xi1>"},
      {"", "stablehlo.constant dense<\"0xFFFFFFFF\"> : tensor<2xui32>",
       "\"stablehlo.constant\"() <{value = dense<4294967295> : tensor<2xui32>}> : () -> "
       "tensor<2xui32>",
       "tensor<2xui32>"},
      {"", "stablehlo.iota dim = 1 : tensor<2x3xi32>",
       "\"stablehlo.iota\"() <{iota_dimension = 1 : i64}> : () -> tensor<2x3xi32>",
       "tensor<2x3xi32>"},
      {xy, "stablehlo.compare GE, %x, %y, FLOAT : (" + v + ", " + v + ") -> tensor<2x3xi1>",
       "\"stablehlo.compare\"(%x, %y) <{comparison_direction = #stablehlo<comparison_direction "
       "GE>}> : (" +
           v + ", " + v + ") -> tensor<2x3xi1>",
       "tensor<2x3xi1>"},
      {"%p: tensor<2x3xi1>, " + xy, "stablehlo.select %p, %x, %y : tensor<2x3xi1>, " + v,
       "\"stablehlo.select\"(%p, %x, %y) : (tensor<2x3xi1>, " + v + ", " + v + ") -> " + v, v},
      {x, "stablehlo.convert %x : (" + v + ") -> tensor<2x3xbf16>",
       "\"stablehlo.convert\"(%x) : (" + v + ") -> tensor<2x3xbf16>", "tensor<2x3xbf16>"},
      {x, "stablehlo.convert %x : " + v, "\"stablehlo.convert\"(%x) : (" + v + ") -> " + v, v},
      {x, "stablehlo.broadcast_in_dim %x, dims = [0, 2] : (" + v + ") -> tensor<2x4x3xf32>",
       "\"stablehlo.broadcast_in_dim\"(%x) <{broadcast_dimensions = array<i64: 0, 2>}> : (" + v +
           ") -> tensor<2x4x3xf32>",
       "tensor<2x4x3xf32>"},
      {x, "stablehlo.transpose %x, dims = [1, 0] : (" + v + ") -> tensor<3x2xf32>",
       "\"stablehlo.transpose\"(%x) <{permutation = array<i64: 1, 0>}> : (" + v +
           ") -> tensor<3x2xf32>",
       "tensor<3x2xf32>"},
      {x, "stablehlo.reverse %x, dims = [1] : " + v,
       "\"stablehlo.reverse\"(%x) <{dimensions = array<i64: 1>}> : (" + v + ") -> " + v, v},
      {x, "stablehlo.slice %x [0:2, 0:3:2] : (" + v + ") -> tensor<2x2xf32>",
       "\"stablehlo.slice\"(%x) <{start_indices = array<i64: 0, 0>, limit_indices = array<i64: 2, "
       "3>, strides = array<i64: 1, 2>}> : (" +
           v + ") -> tensor<2x2xf32>",
       "tensor<2x2xf32>"},
      {xs,
       "stablehlo.pad %x, %s, low = [0, 1], high = [0, -1], interior = [1, 0] : (" + v + ", " + s +
           ") -> tensor<3x3xf32>",
       "\"stablehlo.pad\"(%x, %s) <{edge_padding_low = array<i64: 0, 1>, edge_padding_high = "
       "array<i64: 0, -1>, interior_padding = array<i64: 1, 0>}> : (" +
           v + ", " + s + ") -> tensor<3x3xf32>",
       "tensor<3x3xf32>"},
      {xy, "stablehlo.concatenate %x, %y, dim = 0 : (" + v + ", " + v + ") -> tensor<4x3xf32>",
       "\"stablehlo.concatenate\"(%x, %y) <{dimension = 0 : i64}> : (" + v + ", " + v +
           ") -> tensor<4x3xf32>",
       "tensor<4x3xf32>"},
      {x + ", %i: tensor<i32>",
       "stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 2] : (" + v +
           ", tensor<i32>, tensor<i32>) -> tensor<1x2xf32>",
       "\"stablehlo.dynamic_slice\"(%x, %i, %i) <{slice_sizes = array<i64: 1, 2>}> : (" + v +
           ", tensor<i32>, tensor<i32>) -> tensor<1x2xf32>",
       "tensor<1x2xf32>"},
      {xy,
       "stablehlo.dot_general %x, %y, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] "
       ": (" +
           v + ", " + v + ") -> tensor<2x2xf32>",
       "\"stablehlo.dot_general\"(%x, %y) <{dot_dimension_numbers = "
       "#stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>}> : (" +
           v + ", " + v + ") -> tensor<2x2xf32>",
       "tensor<2x2xf32>"},
      {xy,
       "stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (" +
           v + ", " + v + ") -> tensor<2xf32>",
       "\"stablehlo.dot_general\"(%x, %y) <{dot_dimension_numbers = "
       "#stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], "
       "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>}> : (" +
           v + ", " + v + ") -> tensor<2xf32>",
       "tensor<2xf32>"},
      {"%x: tensor<1x4x4x2xf32>, %w: tensor<3x3x2x5xf32>",
       "stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
       "window = {stride = [2, 1], pad = [[1, 1], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, "
       "1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, "
       "precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : "
       "(tensor<1x4x4x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x2x2x5xf32>",
       "\"stablehlo.convolution\"(%x, %w) <{batch_group_count = 1 : i64, dimension_numbers = "
       "#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, "
       "padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>, window_strides = array<i64: 2, 1>}> : "
       "(tensor<1x4x4x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x2x2x5xf32>",
       "tensor<1x2x2x5xf32>"},
      {xs,
       "stablehlo.reduce(%x init: %s) applies stablehlo.maximum across dimensions = [1] : (" + v +
           ", " + s + ") -> tensor<2xf32>",
       "\"stablehlo.reduce\"(%x, %s) <{dimensions = array<i64: 1>}> ({ ^bb0(%a: tensor<f32>, %b: "
       "tensor<f32>): %r = \"stablehlo.maximum\"(%a, %b) : (tensor<f32>, tensor<f32>) -> "
       "tensor<f32> \"stablehlo.return\"(%r) : (tensor<f32>) -> () }) : (" +
           v + ", " + s + ") -> tensor<2xf32>",
       "tensor<2xf32>"},
      {xs + ", %y: tensor<2x2xf32>",
       "\"stablehlo.select_and_scatter\"(%x, %y, %s) <{padding = dense<0> : tensor<2x2xi64>, "
       "window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 1>}> ({\n ^bb0(%a: "
       "tensor<f32>, %b: tensor<f32>):\n %2 = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, "
       "tensor<f32>) -> tensor<i1>\n stablehlo.return %2 : tensor<i1>\n }, {\n ^bb0(%a: "
       "tensor<f32>, %b: tensor<f32>):\n %2 = stablehlo.add %a, %b : tensor<f32>\n "
       "stablehlo.return %2 : tensor<f32>\n }) : (" +
           v + ", tensor<2x2xf32>, " + s + ") -> " + v,
       "\"stablehlo.select_and_scatter\"(%x, %y, %s) <{padding = dense<[[0, 0], [0, 0]]> : "
       "tensor<2x2xi64>, window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 1>}> "
       "({ ^bb0(%a: tensor<f32>, %b: tensor<f32>): %r = \"stablehlo.compare\"(%a, %b) "
       "<{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, "
       "tensor<f32>) -> tensor<i1> \"stablehlo.return\"(%r) : (tensor<i1>) -> () }, { ^bb0(%a: "
       "tensor<f32>, %b: tensor<f32>): %r = \"stablehlo.add\"(%a, %b) : (tensor<f32>, tensor<f32>) "
       "-> tensor<f32> \"stablehlo.return\"(%r) : (tensor<f32>) -> () }) : (" +
           v + ", tensor<2x2xf32>, " + s + ") -> " + v,
       v},
  };
  return kAll;
}

TEST_CASE("a gather of one slice that is all of its operand is that", "[stablehlo]") {
  const auto graph = read(
      "func.func @main(%x: tensor<3x1xf32>, %i: tensor<1xi32>) -> tensor<3xf32> {\n"
      "  %r = \"stablehlo.gather\"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = "
      "[0], "
      "collapsed_slice_dims = [1], start_index_map = [1]>, slice_sizes = array<i64: 3, 1>}> : "
      "(tensor<3x1xf32>, tensor<1xi32>) -> tensor<3xf32>\n"
      "  return %r : tensor<3xf32>\n}\n");
  REQUIRE(graph->operations().size() == 1);
  CHECK(graph->operations()[0].kind->name == "reshape");
  const Literal x{graph->type(graph->inputs()[0].value), {1, 2, 3}};
  const Literal outside{graph->type(graph->inputs()[1].value), {9}};
  CHECK(evaluate(*graph, std::vector{x, outside})[0].values == x.values);
}

TEST_CASE("both spellings of an operation read as the same graph", "[stablehlo]") {
  for (const Spelling& item : spellings()) {
    INFO(item.pretty);
    CHECK(print(*read(function_of(item.arguments, item.pretty, item.result))) ==
          print(*read(function_of(item.arguments, item.generic, item.result))));
  }
}

Literal f32(Shape shape, std::vector<double> values) {
  return {{Element::kF32, std::move(shape)}, std::move(values)};
}

TEST_CASE("JAX's cross-entropy and its gradient agree with plain loops", "[stablehlo]") {
  const auto graph = read(jax_text("cross_entropy.mlir"));
  const Literal logits = f32({2, 3}, {0.5, -1, 2, 3, 0, -0.25});
  const Literal labels{{Element::kS32, {2}}, {2, 0}};
  const auto results = evaluate(*graph, std::vector{logits, labels});
  double loss = 0;
  for (std::size_t row = 0; row < 2; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) sum += std::exp(logits.values[3 * row + i]);
    for (std::size_t i = 0; i < 3; ++i) {
      const double share = std::exp(logits.values[3 * row + i]) / sum;
      const double is_label = labels.values[row] == static_cast<double>(i) ? 1 : 0;
      if (is_label == 1) loss -= std::log(share) / 2;
      CHECK(results[1].values[3 * row + i] == Approx((share - is_label) / 2));
    }
  }
  CHECK(results[0].values[0] == Approx(loss));
}

TEST_CASE("a scan of JAX's is written out, one body for each iteration", "[stablehlo]") {
  const auto graph = read(jax_text("scan.mlir"));
  CHECK(std::ranges::count(graph->operations(), &find_kind("tanh"), &Operation::kind) == 3);
  const auto results =
      evaluate(*graph, std::vector{f32({}, {0.5}), f32({3, 2}, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6})});
  double state[2] = {0, 0};
  for (std::size_t step = 0; step < 3; ++step) {
    for (std::size_t i = 0; i < 2; ++i) {
      state[i] = std::tanh(state[i] * 0.5 + 0.1 * static_cast<double>(2 * step + i + 1));
      CHECK(results[1].values[2 * step + i] == Approx(state[i]));
    }
  }
  CHECK(results[0].values[1] == Approx(state[1]));
}

constexpr std::string_view kModule = R"(#loc = loc(unknown)
#loc2 = loc("twice:"(#loc))
module @jit_f attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%arg0: tensor<2xf32> loc("x['a']"), %arg1: tensor<i1>) -> (tensor<2xf32> {jax.result_info = "result[0]['a\22']"}) {
    %0 = call @twice(%arg0) : (tensor<2xf32>) -> tensor<2xf32> loc(#loc2)
    %1:2 = stablehlo.optimization_barrier %0, %arg0 : tensor<2xf32>, tensor<2xf32>
    %2 = stablehlo.select %arg1, %1#0, %1#1 : tensor<i1>, tensor<2xf32> loc("select"(#loc))
    return %2 : tensor<2xf32>
  }
  func.func private @twice(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
)";

TEST_CASE("calls, barriers, locations and a scalar predicate read", "[stablehlo]") {
  const auto graph = read(kModule);
  CHECK(graph->operations().size() == 3);  // add, broadcast_in_dim of the predicate, select
  CHECK(graph->outputs()[0].name == "result0");
  const Literal x = f32({2}, {1, 2});
  for (const double chosen : {0.0, 1.0}) {
    const Literal predicate{{Element::kPred, {}}, {chosen}};
    CHECK(evaluate(*graph, std::vector{x, predicate})[0] ==
          f32({2}, {1 * (1 + chosen), 2 * (1 + chosen)}));
  }
}

TEST_CASE("operations without a location are named by their places on demand", "[stablehlo]") {
  const auto graph = read(kModule, Scopes::kPlaces);
  CHECK(graph->operations()[0].scope == "11:5");
  CHECK(graph->operations()[2].scope == "select");
  CHECK(read(kModule)->operations()[0].scope.empty());
}

void check_error(std::string text, std::string_view from, std::string_view to,
                 const std::string& message) {
  const std::size_t place = text.find(from);
  REQUIRE(place != std::string::npos);
  text.replace(place, from.size(), to);
  CHECK_THROWS_WITH(read(text), message);
}

TEST_CASE("errors in JAX's text name line, column and operation", "[stablehlo]") {
  const std::string text(kModule);
  const std::string advice =
      ": compute it outside of the function, or in plain JAX, which runs all of JAX's "
      "(docs/python.md)";
  check_error(text, "stablehlo.add", "stablehlo.sort", "11:10: unknown operation 'sort'" + advice);
  check_error(text, "stablehlo.add", "chlo.lgamma",
              "11:10: 'chlo.lgamma' is not a stablehlo operation" + advice);
  check_error(
      text, "%arg0, %arg0 : tensor<2xf32>", "%arg0, %arg0 : tensor<2xui64>",
      "11:39: add: unknown element type 'ui64': choose from f32, bf16, i32, ui32, i8, i1, ui8"
      "; random bits need jax.config.update(\"jax_threefry_partitionable\", False)");
  check_error(text, "%arg0, %arg0 : tensor<2xf32>",
              "%arg0, %arg0 : tensor<1048576x1048576x1048576xf32>",
              "11:39: add: this tensor has too many elements");
  check_error(text, "%arg0, %arg0 : tensor<2xf32>\n    return", "%arg0 : tensor<2xf32>\n    return",
              "11:5: add(tensor<2xf32>): has 1 operands, not 2");
  check_error(text, "%arg0, %arg0 : tensor<2xf32>\n    return",
              "%arg0, %arg0, dims = [0] : tensor<2xf32>\n    return",
              "11:38: add: 'dims' is not supported");
  check_error(text, "@twice(%arg0) :", "@thrice(%arg0) :", "5:5: there is no function thrice");
  check_error(text, "@twice(%arg0) :", "@twice(%arg1) :",
              "5:5: twice: value 0 is tensor<i1>, not tensor<2xf32>");
  check_error(text,
              "%0 = stablehlo.add %arg0, %arg0 :", "%0 = call @twice(%arg0) : (tensor<2xf32>) ->",
              "11:5: calls nest deeper than 64");
  check_error(text, "private @twice", "private @main", "10:3: the function main is defined twice");
}

TEST_CASE("a loop whose end depends on data is refused", "[stablehlo]") {
  check_error(
      jax_text("scan.mlir"),
      "stablehlo.compare LT, %iterArg_2, %c_5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>",
      "stablehlo.compare LT, %iterArg_1, %iterArg_1, FLOAT : (tensor<f32>, tensor<f32>) -> "
      "tensor<i1>",
      "8:5: while: the number of iterations depends on data; use a loop that counts to a constant");
  check_error(jax_text("scan.mlir"), "%6 = stablehlo.add %iterArg_2, %c_5",
              "%6 = stablehlo.subtract %iterArg_2, %c_5", "30:5: more than 200000 operations");
}

// As JAX prints lax.switch and a function of a typed key.
constexpr const char* kChoice = R"(module @jit_choose {
  sdy.mesh @empty_mesh = <[]> {stablehlo.mesh = {axes = []}}
  func.func public @main(%arg0: tensor<2xf32>, %arg1: tensor<i32>) -> (tensor<2xf32>, tensor<i32>) {
    %0 = sdy.sharding_constraint %arg0 <@empty_mesh, [{}]> : tensor<2xf32>
    %1:2 = "stablehlo.case"(%arg1) ({
      %2 = stablehlo.add %0, %0 : tensor<2xf32>
      %c = stablehlo.constant dense<7> : tensor<i32>
      stablehlo.return %2, %c : tensor<2xf32>, tensor<i32>
    }, {
      stablehlo.return %0, %arg1 : tensor<2xf32>, tensor<i32>
    }, {
      %c = stablehlo.constant dense<9> : tensor<i32>
      %2 = stablehlo.negate %0 : tensor<2xf32>
      stablehlo.return %2, %c : tensor<2xf32>, tensor<i32>
    }) : (tensor<i32>) -> (tensor<2xf32>, tensor<i32>)
    return %1#0, %1#1 : tensor<2xf32>, tensor<i32>
  }
})";

TEST_CASE("a choice gives its branch's values, beyond them the last one's", "[stablehlo]") {
  const auto graph = read(kChoice);
  const Literal x = f32({2}, {1, -3});
  const std::vector<std::vector<double>> expected = {{2, -6, 7}, {1, -3, 1}, {-1, 3, 9}};
  for (const int choice : {0, 1, 2, 3, -1}) {
    INFO(choice);
    const auto& values = expected[choice < 0 || choice > 2 ? 2 : static_cast<std::size_t>(choice)];
    const Literal number{{Element::kS32, {}}, {static_cast<double>(choice)}};
    const auto results = evaluate(*graph, std::vector{x, number});
    CHECK(results[0] == f32({2}, {values[0], values[1]}));
    CHECK(results[1].values[0] == values[2]);
  }
  const std::string text(kChoice);
  check_error(text, "%arg1: tensor<i32>", "%arg1: tensor<f32>",
              "5:5: a choice has an i32 and branches, or an i1 and two");
  check_error(text, "%1:2 = \"stablehlo.case\"(%arg1)",
              "stablehlo.custom_call @xla_ffi_python_cpu_callback(%arg0)",
              "5:5: custom_call @xla_ffi_python_cpu_callback: a program calls no Python: take "
              "jax.debug.print and callbacks out of the function, or return the values");
}

TEST_CASE("damaged text of JAX's never breaks the reader", "[stablehlo]") {
  for (std::string text :
       {jax_text("cross_entropy.mlir"), std::string(kModule), std::string(kChoice)}) {
    for (std::size_t i = 0; i < text.size(); i += 3) {
      const char before = text[i];
      for (const char c : {'9', '"', '}', '%', 'x'}) {
        text[i] = c;
        try {
          read(text)->verify();
        } catch (const GraphError&) {
        }
      }
      text[i] = before;
    }
  }
}

}  // namespace
}  // namespace systole::tests
