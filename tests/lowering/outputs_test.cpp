// What a compiled program gives back: tensors of any shape and type, beside the processor's.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <map>

#include "host/compiler/program/step_program.h"
#include "host/cpu/program.h"
#include "host/graph/ops.h"
#include "host/graph/text.h"
#include "tests/lowering/interpreted_device.h"
#include "tests/lowering/random_graph.h"
#include "tests/support/random.h"
#include "tests/support/tolerances.h"

namespace systole::tests {
namespace {

using graph::Element;
using graph::Graph;
using graph::Shape;
using graph::Type;
using graph::Value;
/// Whether an input is a scalar that the host fills in.
bool is_number(const Graph& graph, const graph::Input& input) {
  return input.updated_by < 0 && graph.type(input.value).rank() == 0;
}

/// A program on a device of its own.
class Compiled {
 public:
  Compiled(const Graph& graph, int lanes, std::int64_t most_steps,
           const std::set<std::string>& resident = {})
      : graph_(graph),
        resident_(resident),
        device_(lanes),
        step_(graph, device_.memory(),
              {.sizes = {.array_size = lanes}, .most_steps = most_steps, .resident = resident}) {}

  /// States are written from the first step's inputs. Returns the outputs of each step, those that
  /// update states after the last alone.
  std::vector<Tensors> run(const std::vector<Tensors>& steps) {
    for (std::size_t k = 0; k < steps.size(); ++k) write(k, steps[k]);
    REQUIRE(device_.run(step_.program(std::ssize(steps))).fault == device::FaultCode::kNone);
    std::vector<Tensors> all(steps.size());
    for (std::size_t k = 0; k < steps.size(); ++k) {
      for (std::size_t i = 0; i < graph_.outputs().size(); ++i) {
        const graph::Output& output = graph_.outputs()[i];
        const auto state =
            std::ranges::find(graph_.inputs(), static_cast<int>(i), &graph::Input::updated_by);
        Words words(count_of(graph_.type(output.value)));
        if (state == graph_.inputs().end()) {
          step_.read_output(static_cast<std::int64_t>(k), output.name, words.data(),
                            std::ssize(words));
        } else if (k + 1 == steps.size()) {
          step_.read_state(state->name, {reinterpret_cast<float*>(words.data()), words.size()});
        } else {
          continue;
        }
        all[k][output.name] = words;
      }
    }
    return all;
  }

  const lowering::StepProgram& step() const { return step_; }

 private:
  void write(std::size_t number, const Tensors& inputs) {
    auto feed = step_.make_feed();
    std::map<std::string, double> scalars;
    for (const graph::Input& input : graph_.inputs()) {
      const Words& words = inputs.at(input.name);
      if (is_number(graph_, input) && !resident_.contains(input.name)) {
        scalars.emplace(input.name, std::bit_cast<float>(words[0]));
      } else if (input.updated_by < 0 && !resident_.contains(input.name)) {
        step_.set_batch(feed, input.name, words.data(), std::ssize(words));
      } else if (number == 0) {
        step_.write_state(input.name, {reinterpret_cast<const float*>(words.data()), words.size()});
      }
    }
    step_.set_random(feed, scalars);
    step_.set_scalars(feed, scalars);
    step_.write(static_cast<std::int64_t>(number), feed);
  }

  const Graph& graph_;
  std::set<std::string> resident_;
  InterpretedDevice device_;
  lowering::StepProgram step_;
};

// The same words, but for zeros' signs.
bool same_numbers(const Words& a, const Words& b) {
  constexpr std::uint32_t kSign = 0x8000'0000;
  return std::ranges::equal(a, b, [&](std::uint32_t x, std::uint32_t y) {
    return x == y || ((x | y) == kSign && (x & y) == 0);
  });
}

// Of random graphs that the compiler takes, at least 19 in 20, three steps on the device.
void check_random_graphs(std::uint64_t first, std::uint64_t count) {
  constexpr std::size_t kSteps = 3;
  std::uint64_t refused = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const RandomGraph drawing(seed);
    const Graph& graph = drawing.graph;
    const int lanes = seed % 3 == 0 ? 16 : 4;
    CAPTURE(seed, lanes, graph::print(graph));
    std::optional<Compiled> compiled;
    try {
      compiled.emplace(graph, lanes, kSteps, drawing.resident);
    } catch (const graph::GraphError& error) {
      ++refused;
      WARN(seed << ": " << error.what());
      continue;
    } catch (const std::exception& error) {
      FAIL_CHECK(error.what());
      continue;
    }
    Random random(seed + 1'000'000);
    std::vector<Tensors> inputs(kSteps), expected(kSteps);
    for (std::size_t k = 0; k < kSteps; ++k) {
      for (const graph::Input& input : graph.inputs()) {
        const bool stays = k > 0 && drawing.resident.contains(input.name);
        inputs[k][input.name] =
            stays ? inputs[0][input.name] : draw_words(random, graph.type(input.value));
        if (k > 0 && input.updated_by >= 0) {
          inputs[k][input.name] =
              expected[k - 1].at(graph.outputs()[static_cast<std::size_t>(input.updated_by)].name);
        }
      }
      expected[k] = on_processor(graph, inputs[k]);
    }
    const std::vector<Tensors> found = compiled->run(inputs);
    for (std::size_t k = 0; k < kSteps; ++k) {
      for (const auto& [name, words] : found[k]) {
        CAPTURE(k, name);
        const Words& right = expected[k].at(name);
        CHECK((drawing.has_products ? same_numbers(words, right) : words == right));
      }
    }
  }
  CHECK(refused <= count / 20);
}

}  // namespace

TEST_CASE("random graphs give the processor's tensors, exactly for whole numbers", "[lowering]") {
  check_random_graphs(1, 150);
}

TEST_CASE("a thousand more random graphs give the processor's tensors", "[.thousand_graphs]") {
  check_random_graphs(151, 1'000);
}

TEST_CASE("a transpose of the last dimension is returned twice", "[lowering]") {
  Graph graph;
  const Value x = graph.input("x", {Element::kF32, {7, 5}});
  graph.output("y", transpose(x, {1, 0}));
  graph.output("z", transpose(x, {1, 0}));
  Random random(0x7a25);
  const Tensors inputs = {{"x", draw_words(random, graph.type(x.id()))}};
  CHECK(Compiled(graph, 4, 1).run({inputs})[0] == on_processor(graph, inputs));
}

// No other kernel comes between the updates of two steps.
TEST_CASE("updates of steps that follow each other have each step's numbers", "[lowering]") {
  Graph graph;
  const Value w = graph.input("w", {Element::kF32, {5}}),
              rate = graph.input("rate", {Element::kF32, {}});
  graph.update(w, "next", w + broadcast_to(rate, {5}));
  std::vector<Tensors> steps;
  for (const float number : {1.0f, 10.0f, 100.0f}) {
    steps.push_back({{"w", Words(5)}, {"rate", {std::bit_cast<std::uint32_t>(number)}}});
  }
  Compiled compiled(graph, 4, 3);
  CHECK(compiled.run(steps)[2].at("next") == Words(5, std::bit_cast<std::uint32_t>(111.0f)));
}

TEST_CASE("integers of a byte come and go, and their product is exact", "[lowering]") {
  constexpr std::int64_t kRows = 5, kDepth = 37, kCols = 9;
  for (const int lanes : {4, 16}) {
    Graph graph;
    const Value a = graph.input("a", {Element::kS8, {kRows, kDepth}}),
                b = graph.input("b", {Element::kS8, {kDepth, kCols}});
    graph.output("product", matmul(a, b));
    graph.output("a_again", a);
    graph.output("number", convert(a, Element::kF32));
    Random random(lanes);
    Tensors inputs;
    for (const auto& [name, count] : {std::pair("a", kRows * kDepth), {"b", kDepth * kCols}}) {
      for (std::int64_t i = 0; i < count; ++i) {
        inputs[name].push_back(
            static_cast<std::uint32_t>(static_cast<std::int32_t>(random.below(256)) - 128));
      }
    }
    CHECK(Compiled(graph, lanes, 1).run({inputs})[0] == on_processor(graph, inputs));
  }
}

// What numerics.md says of operands in bf16, and of functions.
TEST_CASE("products and functions that are returned are within their bounds", "[lowering]") {
  const std::uint64_t seed = 77;
  Random random(seed);
  for (int round = 0; round < 30; ++round) {
    const auto draw = [&] { return std::int64_t{1} + random.below(40); };
    const std::int64_t rows = draw(), depth = draw(), cols = draw();
    const int lanes = round % 2 == 0 ? 4 : 16;
    CAPTURE(seed, round, rows, depth, cols, lanes);
    Graph graph;
    const Value x = graph.input("x", {Element::kF32, {rows, depth}}),
                w = graph.input("w", {Element::kF32, {depth, cols}});
    graph.output("y", matmul(x, w));
    graph.output("size", matmul(abs(x), abs(w)));
    graph.output("exp", exponential(x));
    graph.output("tanh", graph::tanh(x));
    graph.output("sum", sum(abs(x), {1}));
    Tensors inputs;
    for (const auto& [name, count] : {std::pair("x", rows * depth), {"w", depth * cols}}) {
      for (std::int64_t i = 0; i < count; ++i) {
        const float value = static_cast<float>(random.below(1 << 20)) * 0x1p-18f - 2.0f;
        inputs[name].push_back(std::bit_cast<std::uint32_t>(value));
      }
    }
    const Tensors found = Compiled(graph, lanes, 1).run({inputs})[0],
                  expected = on_processor(graph, inputs);
    const auto number = [](const Tensors& tensors, const char* name, std::size_t i) {
      return static_cast<double>(std::bit_cast<float>(tensors.at(name)[i]));
    };
    for (std::size_t i = 0; i < found.at("y").size(); ++i) {
      const double sums = static_cast<double>(depth) * 0x1p-23;
      CHECK(std::fabs(number(found, "y", i) - number(expected, "y", i)) <=
            (kBf16OperandTolerance + sums) * number(expected, "size", i));
    }
    for (const char* name : {"exp", "tanh", "sum"}) {
      CAPTURE(name);
      for (std::size_t i = 0; i < found.at(name).size(); ++i) {
        CHECK(number(found, name, i) == Approx(number(expected, name, i)).epsilon(0x1p-20));
      }
    }
  }
}

TEST_CASE("an output that the device cannot compute is refused with its operation", "[lowering]") {
  Graph graph;
  const Value x = graph.input("x", {Element::kF32, {3, 4}});
  graph.output("y", graph.add("cbrt", {x}));
  CHECK_THROWS_WITH(Compiled(graph, 4, 1),
                    Catch::Contains("cbrt(tensor<3x4xf32>): the device's vector engine has no "
                                    "such operation"));
  Graph doubled;
  const Value w = doubled.input("w", {Element::kF32, {4}});
  doubled.update(w, "next", w + w);
  CHECK_THROWS_WITH(Compiled(doubled, 4, 1).step().result(0, "next"),
                    Catch::Contains("has no output next of 1 elements, or it is a state"));
}

}  // namespace systole::tests
