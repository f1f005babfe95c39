// Reductions by functions of one's own, convolutions of groups, and loops that depend on data.
#include "host/graph/reduce_by.h"

#include <catch2/catch.hpp>

#include "host/cpu/program.h"
#include "host/graph/grouped_convolution.h"
#include "host/graph/ops.h"
#include "host/graph/reference.h"
#include "host/graph/while_loop.h"
#include "operation_cases.h"

namespace systole::tests {
namespace {

using namespace graph;

// 10 a + b, as digits: the order shows.
std::vector<Value> digits(const std::vector<Value>& a, const std::vector<Value>& b) {
  return {a[0] * 10.0 + b[0]};
}

TEST_CASE("a reduction combines neighbours in their order, the initial value first",
          "[reduce_by]") {
  // (a, n) and (b, m) become a 10^m + b and n + m: what the order does not change.
  const Combine append = [](const std::vector<Value>& a, const std::vector<Value>& b) {
    return std::vector<Value>{a[0] * b[1] + b[0], a[1] * b[1]};
  };
  for (const std::int64_t count : {0, 1, 2, 5}) {
    INFO(count << " elements");
    Graph graph;
    const Value x = graph.input("x", {Element::kF32, {2, count}});
    const Value zero = constant(graph, {Element::kF32, {}}, 7), one = constant_like(zero, 1);
    const std::vector<Value> tens{x, broadcast_to(constant_like(x, 10), x.shape())};
    graph.output("y", reduce_by(append, tens, {zero, one}, {1})[0]);
    Literal given{x.type(), {}};
    for (std::int64_t i = 0; i < 2 * count; ++i) given.values.push_back(static_cast<double>(i % 9));
    const Literal found = evaluate(graph, std::vector{given})[0];
    for (std::int64_t row = 0; row < 2; ++row) {
      double wanted = 7;
      for (std::int64_t i = 0; i < count; ++i) wanted = 10 * wanted + given.at(row * count + i);
      CHECK(found.at(row) == wanted);
    }
  }
}

TEST_CASE("a window combines its taps in their order", "[reduce_by]") {
  Graph graph;
  const Value x = graph.input("x", {Element::kF32, {5}});
  const Value start = constant(graph, {Element::kF32, {}}, 0);
  const Window window{
      .size = {2}, .strides = {2}, .padding = {1, 0}, .base_dilation = {1}, .dilation = {2}};
  graph.output("y", reduce_window_by(digits, {x}, {start}, window, {2})[0]);
  const Literal given{x.type(), {1, 2, 3, 4, 5}};
  CHECK(evaluate(graph, std::vector{given})[0].values == std::vector<double>{2, 24});
}

TEST_CASE("reductions of other shapes, dimensions and windows are refused", "[reduce_by]") {
  Graph graph;
  const Value x = graph.input("x", {Element::kF32, {5}}), start = constant_like(x, 0);
  const Value wide = graph.input("w", {Element::kF32, {6}});
  CHECK_THROWS_AS(reduce_by(digits, {x}, {start}, {1}), GraphError);
  CHECK_THROWS_AS(reduce_by(digits, {x, wide}, {start, start}, {0}), GraphError);
  const Window large{
      .size = {5000}, .strides = {1}, .padding = {4999, 0}, .base_dilation = {1}, .dilation = {1}};
  CHECK_THROWS_AS(reduce_window_by(digits, {x}, {start}, large, {5}), GraphError);
}

TEST_CASE("a convolution of groups is one of each group's channels", "[grouped_convolution]") {
  Graph graph;
  const Value x = graph.input("x", {Element::kF32, {1, 3, 4}});
  const Value w = graph.input("w", {Element::kF32, {1, 2, 6}});
  const auto grouped = [&](std::int64_t batches, std::int64_t features) {
    const Operation convolution{
        .kind = &find_kind("convolution"),
        .attributes = {batches, std::string("[b, 0, f]x[0, i, o]->[b, 0, f]"), features,
                       Integers{1}, Integers{0, 0}, Integers{1}, Integers{1}}};
    return grouped_convolution(convolution, {x, w}, 1, Element::kF32, Products::kFp32);
  };
  graph.output("y", grouped(1, 2));
  const Literal given = random_literal(x.type(), -2, 2, 1),
                kernel = random_literal(w.type(), -2, 2, 2);
  const Literal found = evaluate(graph, std::vector{given, kernel})[0];
  REQUIRE(found.type.shape == Shape{1, 3, 6});
  for (std::int64_t place = 0; place < 3; ++place) {
    for (std::int64_t o = 0; o < 6; ++o) {
      double sum = 0;
      for (std::int64_t i = 0; i < 2; ++i) {
        sum += given.at(place * 4 + o / 3 * 2 + i) * kernel.at(i * 6 + o);
      }
      CHECK(found.at(place * 6 + o) == Approx(sum));
    }
  }
  CHECK_THROWS_AS(grouped(1, 3), GraphError);
  CHECK_THROWS_AS(grouped(2, 2), GraphError);
}

TEST_CASE("a loop runs while its condition holds, on the processor as in the oracle", "[while]") {
  Graph condition, body, graph;
  {  // x < limit; x becomes x + step, count + 1
    const Value x = condition.input("x", {Element::kS32, {}});
    condition.input("count", {Element::kS32, {}});
    condition.output("y", compare(x, "LT", condition.input("limit", {Element::kS32, {}})));
  }
  {
    const Value x = body.input("x", {Element::kS32, {}});
    const Value count = body.input("count", {Element::kS32, {}});
    body.output("y0", x + body.input("step", {Element::kS32, {}}));
    body.output("y1", count + 1.0);
  }
  const Value x = graph.input("x", {Element::kS32, {}}), step = graph.input("step", x.type());
  const std::vector<Value> results =
      add_while(graph, {x, constant_like(x, 0)}, condition, {constant_like(x, 10)}, body, {step});
  graph.output("x_", results[0]);
  graph.output("count_", results[1]);
  for (const std::int32_t first : {-3, 9, 10, 50}) {
    INFO("from " << first);
    const std::int32_t by = 4;
    std::int32_t wanted[2] = {first, 0}, found[2] = {-1, -1};
    for (; wanted[0] < 10; ++wanted[1]) wanted[0] += by;
    CpuProgram program(graph, 1);
    const void* const inputs[] = {&first, &by};
    void* const outputs[] = {&found[0], &found[1]};
    for (int run = 0; run < 2; ++run) {
      program.run(inputs, outputs);
      CHECK(std::ranges::equal(found, wanted));
    }
    const auto oracle = evaluate(
        graph, std::vector{Literal{x.type(), {double(first)}}, Literal{x.type(), {double(by)}}});
    CHECK(oracle[0].at(0) == wanted[0]);
    CHECK(oracle[1].at(0) == wanted[1]);
  }
  CHECK_THROWS_AS(add_while(graph, {x}, condition, {}, body, {step}), GraphError);
}

}  // namespace
}  // namespace systole::tests
