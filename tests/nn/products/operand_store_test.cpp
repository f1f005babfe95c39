#include "host/nn/products/operand_store.h"

#include <catch2/catch.hpp>

#include "host/graph/ops.h"
#include "host/nn/products/device_products.h"
#include "host/nn/training/program.h"

namespace systole::tests {

TEST_CASE("an operand store lends the first free operand of a size", "[operand_store]") {
  nn::OperandStore store;
  CHECK(store.take(8) == 0);
  CHECK(store.take(8) == 1);
  CHECK(store.take(9) == 2);
  store.give_back(8, 1);
  store.give_back(8, 0);
  CHECK(store.take(8) == 0);
  CHECK(store.take(9) == 3);
  CHECK(store.take(8) == 1);
}

TEST_CASE("graphs of one multiplier share a parameter until its version changes",
          "[operand_store]") {
  nn::Multiplier multiplier(Device::open("cpu"), DataType::kBf16);
  std::vector<float> w{1, 2, 3, 4};
  std::uint64_t version = 1;
  // x w for several row counts, so that each has its own graph.
  const auto product = [&](std::int64_t rows) {
    graph::Graph graph;
    const auto x = graph.input("x", {graph::Element::kF32, {rows, 2}});
    graph.output("y", matmul(x, graph.input("w", {graph::Element::kF32, {2, 2}})));
    nn::Program program(graph, &multiplier, 1);
    const std::vector<float> ones(2 * rows, 1.0f);
    std::vector<float> y(ones.size());
    program.read("x", ones);
    program.read("w", w, &version);
    program.write("y", y);
    program.run();
    return std::vector<float>(y.end() - 2, y.end());
  };
  CHECK(product(1) == std::vector<float>{4, 6});
  w = {5, 6, 7, 8};  // ignored without a new version
  CHECK(product(3) == std::vector<float>{4, 6});
  version = 2;
  CHECK(product(2) == std::vector<float>{12, 14});
}

}  // namespace systole::tests
