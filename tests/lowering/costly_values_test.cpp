// What costs many instructions: in memory for later kernels, or computed again.
#include <catch2/catch.hpp>
#include <functional>

#include "host/compiler/program/step_program.h"
#include "host/graph/ops.h"
#include "tests/lowering/interpreted_device.h"
#include "tests/support/random.h"

namespace systole::tests {
namespace {

using graph::Element;
using graph::Graph;
using graph::Value;

constexpr std::int64_t kRows = 24, kCols = 20;

using Write = std::function<void(Graph& graph, Value x, Value w)>;
std::unique_ptr<Graph> written(const Write& write) {
  auto graph = std::make_unique<Graph>();
  const Value x = graph->input("x", {Element::kF32, {kRows, kCols}}),
              w = graph->input("w", {Element::kF32, {kCols, kCols}});
  write(*graph, x, w);
  return graph;
}

/// Instructions of a graph's kernels, in their order.
std::vector<std::size_t> instructions(const Graph& graph, int lanes) {
  const lowering::LoweredGraph lowered = lowering::lower_graph(graph, {.array_size = lanes});
  std::vector<std::size_t> all;
  for (const lowering::Unit& unit : lowered.units) {
    if (unit.kernel() != nullptr) all.push_back(unit.kernel()->instructions());
  }
  return all;
}

std::vector<float> y_of(const Graph& graph, int lanes) {
  InterpretedDevice device(lanes);
  lowering::StepProgram step(graph, device.memory(), {.sizes = {.array_size = lanes}});
  auto feed = step.make_feed();
  Random random(0x0e4f'0123);
  for (const graph::Input& input : graph.inputs()) {
    std::vector<float> words(
        static_cast<std::size_t>(graph::element_count(graph.type(input.value).shape)));
    for (float& word : words) word = static_cast<float>(random.below(4'001)) / 1'000 - 2;
    step.set_batch(feed, input.name, words.data(), std::ssize(words));
  }
  step.write(0, feed);
  REQUIRE(device.run(step.program(1)).fault == device::FaultCode::kNone);
  std::vector<float> y(kRows * kCols);
  step.read_output(0, "y", y.data(), std::ssize(y));
  return y;
}

}  // namespace

TEST_CASE("what costs many instructions is kept for a later kernel, with the same bits",
          "[costly_values]") {
  const int lanes = GENERATE(4, 16);
  const auto write = [](bool returns) {
    return written([&](Graph& graph, Value x, Value w) {
      const Value e = erf(x * 0.5);
      graph.output("y", matmul(e, w) * (1.0 - e * e));
      if (returns) graph.output("e", e);
    });
  };
  const auto graph = write(false);
  const auto kernels = instructions(*graph, lanes);
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0] > 30);
  CHECK(kernels[1] < 8);
  CHECK(y_of(*graph, lanes) == y_of(*write(true), lanes));  // where e is in memory anyway
}

TEST_CASE("a row's sum and its root are kept for a later kernel", "[costly_values]") {
  const auto graph = written([](Graph& all, Value x, Value w) {
    const Value scale = rsqrt(sum(x * x, {1}) + 1.0);
    const Value rows = x * repeat(scale, x.shape(), {1});
    all.output("y", matmul(rows, w) * repeat(scale, x.shape(), {1}));
  });
  const auto kernels = instructions(*graph, 4);
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0] > 25);
  CHECK(kernels[1] < 4);
}

TEST_CASE("what is cheap, or no later kernel needs, is not kept", "[costly_values]") {
  const auto cheap = written([](Graph& graph, Value x, Value w) {
    const Value half = x * 0.5;
    graph.output("y", matmul(half, w) * half);
  });
  CHECK(instructions(*cheap, 4) == std::vector<std::size_t>{1, 2});
  const auto at_once = written([](Graph& graph, Value x, Value) {
    const Value e = erf(x);
    graph.output("y", e * 2.0);
    graph.output("z", e * e);
  });
  CHECK(instructions(*at_once, 4).size() == 1);
}

}  // namespace systole::tests
