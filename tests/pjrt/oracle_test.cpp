// XLA as a second oracle: what its CPU computes of a graph's portable text, beside ours.
#include <fmt/format.h>

#include <bit>
#include <catch2/catch.hpp>
#include <cstring>
#include <tuple>

#include "host/cpu/kernel.h"
#include "host/device/device.h"
#include "host/graph/reference.h"
#include "host/graph/text.h"
#include "host/pjrt/buffer_type.h"
#include "host/pjrt/client.h"
#include "tests/graph/operation_cases.h"
#include "tests/lowering/random_graph.h"
#include "tests/pjrt/cpu_plugin.h"

namespace systole::tests {
namespace {

using graph::Element;
using graph::Graph;
using graph::Literal;
using graph::Type;

// Sums in another order, and functions within some units in the last place.
constexpr double kTolerance = 1e-5;

std::size_t bytes_of(Element element) {
  const bool is_one = graph::is_byte(element) || element == Element::kPred;
  return is_one ? 1 : element == Element::kBf16 ? 2 : 4;
}

// A bf16 is the upper half of an fp32's bits.
std::vector<std::byte> bytes_of(const Literal& literal) {
  const auto count = static_cast<std::size_t>(graph::element_count(literal.type.shape));
  const std::size_t size = bytes_of(literal.type.element);
  Words words(count);
  graph::from_literal(literal, words.data());
  std::vector<std::byte> bytes(count * size);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t word = literal.type.element == Element::kBf16 ? words[i] >> 16 : words[i];
    std::memcpy(bytes.data() + i * size, &word, size);
  }
  return bytes;
}
Literal literal_of(const Type& type, const std::vector<std::byte>& bytes) {
  const std::size_t size = bytes_of(type.element);
  Words words(bytes.size() / size);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::memcpy(&words[i], bytes.data() + i * size, size);
    if (type.element == Element::kBf16) words[i] <<= 16;
    if (type.element == Element::kS8) {
      words[i] = static_cast<std::uint32_t>(static_cast<std::int8_t>(words[i]));
    }
  }
  return graph::to_literal(type, words.data());
}

/// The outputs of a graph that a plugin runs; its inputs are used up.
std::vector<Literal> on_plugin(const pjrt::Client& client, const Graph& graph,
                               const std::vector<Literal>& inputs, graph::Products products) {
  const pjrt::Executable step = client.compile(graph::print_portable(graph, products));
  std::vector<std::vector<std::byte>> values;
  std::vector<pjrt::Buffer> buffers;
  std::vector<pjrt::abi::Buffer*> arguments;
  for (const Literal& input : inputs) {
    values.push_back(bytes_of(input));
    pjrt::Event done;
    buffers.push_back(client.put(pjrt::buffer_type(input.type.element), input.type.shape,
                                 values.back().data(), done));
    client.await(std::move(done));
    arguments.push_back(buffers.back().get());
  }
  pjrt::Event done;
  const std::vector<pjrt::Buffer> results = client.run(step, arguments, done);
  client.await(std::move(done));
  std::vector<Literal> outputs;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Type& type = graph.type(graph.outputs()[i].value);
    std::vector<std::byte> bytes(static_cast<std::size_t>(graph::element_count(type.shape)) *
                                 bytes_of(type.element));
    client.read(results[i], bytes);
    outputs.push_back(literal_of(type, bytes));
  }
  return outputs;
}

void check_close(const Literal& found, const Literal& expected, double tolerance) {
  for (std::int64_t e = 0; e < graph::element_count(found.type.shape); ++e) {
    if (found.at(e) == expected.at(e)) continue;
    INFO("element " << e);
    if (graph::is_float(found.type.element)) {
      CHECK(found.at(e) == Approx(expected.at(e)).epsilon(tolerance).margin(tolerance));
    } else {
      CHECK(found.at(e) == expected.at(e));
    }
  }
}

TEST_CASE("XLA computes every operation as the oracle does", "[pjrt]") {
  const std::string plugin = cpu_plugin();
  if (plugin.empty()) return;
  const pjrt::Client& client = pjrt::Client::open(plugin);
  for (OperationCase item : operation_cases()) {
    INFO(item.name);
    // XLA leaves out a whole window that is partly outside, StableHLO and ours its part.
    if (item.name == "scatter by maximum") std::tie(item.low, item.high) = std::pair(0, 1.999);
    const auto graph = build(item);
    const std::vector<Literal> inputs = random_inputs(item, 7);
    const Literal expected = graph::evaluate(*graph, inputs)[0];
    std::vector<Literal> found;
    try {
      found = on_plugin(client, *graph, inputs, graph::Products::kFp32);
    } catch (const std::exception& error) {
      FAIL_CHECK(error.what());
      continue;
    }
    check_close(found[0], expected, kTolerance);
  }
}

TEST_CASE("XLA computes 1,000 random graphs as cpu does, exactly", "[pjrt]") {
  const std::string plugin = cpu_plugin();
  if (plugin.empty()) return;
  const pjrt::Client& client = pjrt::Client::open(plugin);
  constexpr std::uint64_t kGraphs = 1000;
  for (std::uint64_t seed = 1; seed <= kGraphs; ++seed) {
    const RandomGraph drawn(seed);
    const Graph& graph = drawn.graph;
    CAPTURE(seed, graph::print(graph));
    Random random(seed + 1'000'000);
    Tensors words;
    std::vector<Literal> inputs;
    for (const graph::Input& input : graph.inputs()) {
      const Type& type = graph.type(input.value);
      words[input.name] = draw_words(random, type);
      inputs.push_back(graph::to_literal(type, words[input.name].data()));
    }
    const Tensors expected = on_processor(graph, words);
    const std::vector<Literal> found = on_plugin(client, graph, inputs, graph::Products::kFp32);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::string& name = graph.outputs()[i].name;
      CAPTURE(name);
      const Literal ours = graph::to_literal(found[i].type, expected.at(name).data());
      check_close(found[i], ours, 0);
    }
  }
}

TEST_CASE("memory that is exhausted is an error with XLA's words", "[pjrt]") {
  const std::string plugin = cpu_plugin();
  if (plugin.empty()) return;
  const pjrt::Client& client = pjrt::Client::open(plugin);
  // 2^50 bytes.
  const pjrt::Executable step =
      client.compile(R"(func.func public @main() -> tensor<281474976710656xf32> {
    %0 = "stablehlo.constant"() <{value = dense<1.0> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<281474976710656xf32>
    return %1 : tensor<281474976710656xf32>
  })");
  const auto run = [&] {
    pjrt::Event done;
    client.run(step, {}, done);
    client.await(std::move(done));
  };
  CHECK_THROWS_AS(run(), MemoryFull);
}

TEST_CASE("what XLA does not compile is an error with its words, in one line", "[pjrt]") {
  const std::string plugin = cpu_plugin();
  if (plugin.empty()) return;
  const pjrt::Client& client = pjrt::Client::open(plugin);
  CHECK_THROWS_WITH(client.compile("func.func public @main() { \n nonsense }"),
                    Catch::Contains("does not compile the step: ") && !Catch::Contains("\n"));
}

TEST_CASE("XLA's sums of products of bf16 operands are those of rounded operands", "[pjrt]") {
  const std::string plugin = cpu_plugin();
  if (plugin.empty()) return;
  const pjrt::Client& client = pjrt::Client::open(plugin);
  for (const OperationCase& item : operation_cases()) {
    if (!item.name.starts_with("dot_general") && !item.name.starts_with("convolution")) continue;
    INFO(item.name);
    const auto graph = build(item);
    std::vector<Literal> inputs = random_inputs(item, 7), rounded = inputs;
    for (Literal& input : rounded) {
      if (input.type.element != Element::kF32) continue;
      for (double& value : input.values) value = graph::round_to(Element::kBf16, value);
    }
    check_close(on_plugin(client, *graph, inputs, graph::Products::kBf16)[0],
                graph::evaluate(*graph, rounded)[0], kTolerance);
  }
}

}  // namespace
}  // namespace systole::tests
