#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "host/cpu/kernel.h"
#include "host/cpu/program.h"
#include "host/graph/gradient.h"
#include "host/graph/ops.h"
#include "host/graph/reference.h"
#include "operation_cases.h"

extern "C" void omp_set_num_threads(int);

namespace systole::tests {
namespace {

using namespace graph;

// Sums of some fifty terms of either sign, each rounded: some hundred half units in the last place.
constexpr double kTolerance = 1e-5;

using Words = std::vector<std::vector<std::uint32_t>>;

Words run(const Graph& graph, const std::vector<Literal>& inputs, int threads,
          std::int64_t* kernels = nullptr) {
  CpuProgram program(graph, threads);
  Words in, out;
  std::vector<const void*> from;
  std::vector<void*> to;
  for (const Literal& input : inputs) {
    in.emplace_back(element_count(input.type.shape));
    from_literal(input, in.back().data());
  }
  for (const Output& output : graph.outputs()) {
    out.emplace_back(element_count(graph.type(output.value).shape));
  }
  for (const auto& words : in) from.push_back(words.data());
  for (auto& words : out) to.push_back(words.data());
  program.run(from, to);
  program.run(from, to);  // nothing is left over from the first run
  if (kernels != nullptr) *kernels = program.kernel_count();
  return out;
}

void check_like_oracle(const Graph& graph, const std::vector<Literal>& inputs) {
  const auto expected = evaluate(graph, inputs);
  const Words found = run(graph, inputs, 1);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Literal y = to_literal(expected[i].type, found[i].data());
    for (std::int64_t e = 0; e < element_count(y.type.shape); ++e) {
      INFO("output " << i << ", element " << e);
      if (!is_float(y.type.element)) {
        CHECK(y.at(e) == expected[i].at(e));
      } else if (y.at(e) != expected[i].at(e)) {
        CHECK(y.at(e) == Approx(expected[i].at(e)).epsilon(kTolerance).margin(kTolerance));
      }
    }
  }
  CHECK(run(graph, inputs, 2) == found);
}

TEST_CASE("every operation on the cpu agrees with the oracle", "[graph]") {
  for (const OperationCase& item : operation_cases()) {
    INFO(item.name);
    check_like_oracle(*build(item), random_inputs(item, 7));
  }
}

TEST_CASE("every gradient on the cpu agrees with the oracle", "[graph]") {
  for (const OperationCase& item : operation_cases()) {
    INFO(item.name);
    Graph graph;
    std::vector<Value> inputs, wanted;
    for (const Type& type : item.inputs) {
      inputs.push_back(graph.input(fmt::format("x{}", inputs.size()), type));
      if (is_float(type.element)) wanted.push_back(inputs.back());
    }
    const Value y = item.build(inputs);
    if (!is_float(y.type().element)) continue;
    const Value loss = sum(convert(y, Element::kF32) * convert(y, Element::kF32));
    try {
      const auto found = gradients(loss, wanted);
      for (std::size_t i = 0; i < found.size(); ++i) graph.output(fmt::format("d{}", i), found[i]);
    } catch (const GraphError&) {
      continue;  // no gradient: gradient_test.cpp lists those
    }
    graph.output("loss", loss);
    check_like_oracle(graph, random_inputs(item, 9));
  }
}

std::ptrdiff_t thread_count() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

// OpenMP would give oneDNN a team of seven.
TEST_CASE("a convolution starts no threads besides those asked for", "[graph]") {
  Graph graph;
  const Value x = graph.input("x", {Element::kF32, {16, 12, 12, 8}});
  const Value w = graph.input("w", {Element::kF32, {3, 3, 8, 16}});
  const Value y = convolution(x, w, "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", {});
  const auto gradient = gradients(sum(y * y), std::vector{x, w});
  for (const Value& each : gradient) graph.output(fmt::format("d{}", each.id()), each);
  std::vector<Literal> inputs;
  for (const Input& input : graph.inputs()) {
    const Type& type = graph.type(input.value);
    inputs.push_back({type, std::vector<double>(element_count(type.shape), 0.5)});
  }
  omp_set_num_threads(7);
  const std::ptrdiff_t before = thread_count();
  const Words found = run(graph, inputs, 1);
  CHECK(thread_count() == before);
  CHECK(found.size() == 2);
}

struct Chain {
  const char* name;
  Shape shape;
  std::function<Value(Value)> build;
  int kernels;
};

TEST_CASE("a chain of elementwise operations and its sums are one loop", "[graph]") {
  const auto bias = [](Value x) {
    return broadcast_to(constant(x.graph(), {Element::kF32, {x.dimension(-1)}}, 0.5), x.shape());
  };
  const std::vector<Chain> chains = {
      {"relu of a bias",
       {700, 33},
       [&](Value x) { return maximum(x + bias(x), constant_like(x, 0)) * 2; },
       1},
      {"sum of squares", {70, 333}, [](Value x) { return sum(x * x); }, 1},
      {"sums of columns", {700, 33}, [](Value x) { return sum(tanh(x), {0}); }, 1},
      {"sums of rows", {700, 33}, [](Value x) { return sum(tanh(x), {1}); }, 1},
      {"sums of long rows", {7, 1700}, [](Value x) { return sum(tanh(x), {1}); }, 1},
      {"sums in the middle", {30, 40, 9}, [](Value x) { return sum(-x, {1}); }, 1},
      {"softmax",
       {300, 10},
       [](Value x) {
         const Value e = exponential(x - repeat(max(x, {1}), x.shape(), {1}));
         return e / repeat(sum(e, {1}), x.shape(), {1});
       },
       3},
      {"a transpose in a chain", {40, 60}, [](Value x) { return transpose(x, {1, 0}) * 2 + 1; }, 1},
      {"slices in a chain",
       {40, 60},
       [](Value x) { return take(x, 1, 0, 30) + reverse(take(x, 1, 30, 60), {1}); },
       1},
      {"columns that repeat",
       {600, 40},
       [](Value x) { return x * repeat(take(x, 1, 3), x.shape(), {1}); },
       2},  // the column is laid out first, which removes its dimension
      {"counting",
       {60, 40},
       [](Value x) { return x + iota(x.graph(), x.type(), 1) * iota(x.graph(), x.type(), 0); },
       1},
      {"nothing at all", {0, 3}, [](Value x) { return x + 1; }, 1},
  };
  for (const Chain& chain : chains) {
    INFO(chain.name);
    Graph graph;
    graph.output("y", chain.build(graph.input("x", {Element::kF32, chain.shape})));
    const std::vector inputs = {random_literal({Element::kF32, chain.shape}, -1, 1, 3)};
    check_like_oracle(graph, inputs);
    std::int64_t kernels = 0;
    run(graph, inputs, 1, &kernels);
    CHECK(kernels == chain.kernels);
  }
}

TEST_CASE("a loop that depends on itself through a product is cut in two", "[graph]") {
  Graph graph;
  const Type type{Element::kF32, {20, 20}};
  const Value x = graph.input("x", type);
  const Value a = tanh(x);
  graph.output("y", a + matmul(a, a));
  check_like_oracle(graph, {random_literal(type, -1, 1, 3)});
}

TEST_CASE("an update in place sees the old value everywhere", "[graph]") {
  Graph graph;
  const Type type{Element::kF32, {30, 30}};
  const Value w = graph.input("w", type), x = graph.input("x", type);
  const Value product = matmul(x, w);
  graph.update(w, "new_w", w - product * 0.1);
  graph.output("later", matmul(product, w));
  const std::vector inputs = {random_literal(type, -1, 1, 3), random_literal(type, -1, 1, 4)};
  const Words expected = run(graph, inputs, 1);
  std::vector<std::uint32_t> w_words(900), x_words(900), later(900);
  from_literal(inputs[0], w_words.data());
  from_literal(inputs[1], x_words.data());
  CpuProgram program(graph, 1);
  const std::vector<const void*> in = {w_words.data(), x_words.data()};
  const std::vector<void*> out = {w_words.data(), later.data()};
  program.run(in, out);
  CHECK(w_words == expected[0]);
  CHECK(later == expected[1]);
}

TEST_CASE("memory of dead values is reused", "[graph]") {
  Graph graph;
  const Type type{Element::kF32, {64, 64}};
  const Value w = graph.input("w", type);
  Value x = graph.input("x", type);
  for (int i = 0; i < 10; ++i) x = tanh(matmul(x, w)) + 1;
  graph.output("y", x);
  const CpuProgram program(graph, 1);
  CHECK(program.memory_bytes() == 2 * 64 * 64 * 4);
  check_like_oracle(graph, {random_literal(type, -0.2, 0.2, 3), random_literal(type, -1, 1, 4)});
}

TEST_CASE("a program refuses the wrong number of inputs", "[graph]") {
  Graph graph;
  graph.output("y", graph.input("x", {Element::kF32, {}}) + 1);
  CpuProgram program(graph, 1);
  CHECK_THROWS_WITH(program.run({}, {}), "cpu: got 0 inputs and 0 outputs, not 1 and 1");
}

}  // namespace
}  // namespace systole::tests
