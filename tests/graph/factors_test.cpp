// Factors of matrices, which JAX's orthogonal initialisers ask for, and sorting.
#include <catch2/catch.hpp>
#include <cmath>

#include "host/graph/operations/operations.h"
#include "host/graph/ops.h"
#include "host/graph/reference.h"
#include "host/graph/sort.h"
#include "operation_cases.h"

namespace systole::tests {
namespace {

using namespace graph;

TEST_CASE("the factors of a matrix multiply to it, and the first is orthogonal", "[graph]") {
  constexpr double kTolerance = 1e-6;  // of fp32 numbers below 10
  const OperationKind &qr = factor_kinds()[0], &product = factor_kinds()[1];
  for (const std::int64_t rows : {1, 2, 5, 9}) {
    INFO(rows << " rows");
    const std::int64_t columns = std::min<std::int64_t>(rows, 4);
    Graph graph;
    const Value a = graph.input("a", {Element::kF32, {3, rows, columns}});
    const std::vector<Value> factors = graph.add(qr, std::vector{a}, {});
    const Value q = graph.add(product, factors, {})[0];
    const Value row = iota(graph, {Element::kS32, a.shape()}, 1);
    const Value column = iota(graph, {Element::kS32, a.shape()}, 2);
    const Value r = slice(select(compare(row, "LE", column), factors[0], constant_like(a, 0)),
                          {0, 0, 0}, {3, columns, columns});
    const DotDimensions batched{{0}, {0}, {2}, {1}}, squared{{0}, {0}, {1}, {1}};
    graph.output("a", dot_general(q, r, batched));
    graph.output("i", dot_general(q, q, squared));
    const Literal given = random_literal(a.type(), -3, 3, 7);
    const std::vector<Literal> found = evaluate(graph, std::vector{given}, Rounding::kNone);
    for (std::int64_t i = 0; i < element_count(a.shape()); ++i) {
      CHECK(std::fabs(found[0].at(i) - given.at(i)) < kTolerance);
    }
    for (std::int64_t i = 0; i < 3 * columns * columns; ++i) {
      const double wanted = i / columns % columns == i % columns ? 1 : 0;
      CHECK(std::fabs(found[1].at(i) - wanted) < kTolerance);
    }
  }
}

TEST_CASE("sorted values are in order, and equal ones stay as they were", "[graph]") {
  for (const std::int64_t size : {1, 2, 3, 8, 13, 64}) {
    INFO(size << " numbers");
    Graph graph;
    const Value keys = graph.input("keys", {Element::kS32, {size, 2}});
    const Value places = iota(graph, keys.type(), 0);
    const auto before = [](std::span<const Value> a, std::span<const Value> b) {
      return compare(a[0], "LT", b[0]);
    };
    for (const Value value : sort(std::vector{keys, places}, 0, before)) {
      graph.output(value.id() == keys.id() ? "keys_" : fmt::format("v{}", value.id()), value);
    }
    Literal given{keys.type(), {}};
    for (std::int64_t i = 0; i < 2 * size; ++i) given.values.push_back((i * 7 + i / 5) % 4);
    const std::vector<Literal> found = evaluate(graph, std::vector{given});
    for (std::int64_t i = 0; i < 2 * size; ++i) {
      const auto place = static_cast<std::int64_t>(found[1].at(i));
      CHECK(found[0].at(i) == given.at(2 * place + i % 2));
      if (i < 2) continue;
      const bool is_equal = found[0].at(i - 2) == found[0].at(i);
      CHECK((found[0].at(i - 2) < found[0].at(i) || (is_equal && found[1].at(i - 2) < place)));
    }
  }
}

TEST_CASE("floats in total order are ordered integers", "[graph]") {
  Graph graph;
  const Value x = graph.input("x", {Element::kF32, {8}});
  graph.output("order", total_order(x));
  const double infinity = INFINITY;
  const Literal given{x.type(), {-infinity, -2.5, -1e-40, -0.0, 0.0, 1e-40, 3, infinity}};
  const Literal order = evaluate(graph, std::vector{given})[0];
  for (std::int64_t i = 1; i < 8; ++i) CHECK(order.at(i - 1) < order.at(i));
}

}  // namespace
}  // namespace systole::tests
