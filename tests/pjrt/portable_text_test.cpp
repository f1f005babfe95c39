#include <catch2/catch.hpp>

#include "host/graph/ops.h"
#include "host/graph/reference.h"
#include "host/graph/text.h"

namespace systole::tests {
namespace {

using namespace graph;

std::string product_text(Products products) {
  Graph graph;
  const Value x = graph.input("x", {Element::kF32, {2, 3}}),
              w = graph.input("w", {Element::kF32, {3, 4}});
  graph.output("y", matmul(x, w));
  return print_portable(graph, products);
}

TEST_CASE("a portable product says its precision", "[pjrt]") {
  using Catch::Contains;
  const std::string exact = product_text(Products::kFp32);
  CHECK_THAT(exact, Contains("(%x, %w)"));
  CHECK_THAT(exact, Contains("precision_config = [#stablehlo<precision HIGHEST>, "
                             "#stablehlo<precision HIGHEST>]"));
  CHECK_THAT(exact, !Contains("reduce_precision"));
  const std::string rounded = product_text(Products::kBf16);
  CHECK_THAT(rounded, Contains("%.0.0 = \"stablehlo.reduce_precision\"(%x) <{exponent_bits = 8 : "
                               "i32, mantissa_bits = 7 : i32}>"));
  CHECK_THAT(rounded, Contains("\"stablehlo.dot_general\"(%.0.0, %.0.1)"));
  CHECK_THAT(rounded, Contains("<precision DEFAULT>"));
  CHECK_THROWS_AS(product_text(Products::kInt8), GraphError);
}

TEST_CASE("a portable text has random words as arithmetic, and chlo's functions", "[pjrt]") {
  using Catch::Contains;
  Graph graph;
  const Value state = graph.input("state", {Element::kU32, {4}});
  const RandomBits random = rng_bit_generator(state, {3, 7});
  graph.output("y", random.bits);
  graph.update(state, "next", random.state);
  graph.output("z", graph.add("erf", {graph.input("x", {Element::kF32, {2}})}));
  const std::string text = print_portable(graph, Products::kFp32);
  CHECK_THAT(text, !Contains("rng_bit_generator"));
  CHECK_THAT(text, Contains("%.0.bits = \"stablehlo.reshape\""));
  CHECK_THAT(text, Contains("return %.0.bits, %.0.after, %1 :"));
  CHECK_THAT(text, Contains("%state: tensor<4xui32> {tf.aliasing_output = 1 : i32}"));
  CHECK_THAT(text, Contains("\"chlo.erf\"(%x)"));
}

}  // namespace
}  // namespace systole::tests
