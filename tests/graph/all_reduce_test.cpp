// Sums over cores: the graphs of several cores that meet.
#include <catch2/catch.hpp>

#include "host/cpu/program.h"
#include "host/graph/cores.h"
#include "host/graph/gradient.h"
#include "host/graph/known_values.h"
#include "host/graph/ops.h"
#include "host/graph/simplify.h"
#include "host/graph/text.h"
#include "operation_cases.h"

namespace systole::tests {
namespace {

using namespace graph;

const Type kVector{Element::kF32, {3}};

/// The same graph for each of `cores` cores.
std::vector<const Graph*> same(const Graph& graph, std::size_t cores) {
  return std::vector<const Graph*>(cores, &graph);
}

std::vector<Literal> vector(std::vector<double> values) { return {{kVector, std::move(values)}}; }

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const GraphError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST_CASE("cores add their values in the order of the cores, each sum rounded", "[graph]") {
  Graph graph;
  graph.output("y", all_reduce(graph.input("x", kVector), 3));
  // 2^24 + 1 + 1 is 2^24 in fp32, but 1 + 1 + 2^24 is not.
  const std::vector<std::vector<Literal>> inputs = {vector({0x1p24, 1, 5}), vector({1, 1, -0.0}),
                                                    vector({1, 0x1p24, 0.25})};
  const auto outputs = evaluate_cores(same(graph, 3), inputs);
  REQUIRE(outputs.size() == 3);
  for (const auto& own : outputs) {
    CHECK(own[0].values == std::vector<double>{0x1p24, 0x1p24 + 2, 5.25});
  }
  const auto exact = evaluate_cores(same(graph, 3), inputs, Rounding::kNone);
  CHECK(exact[1][0].values == std::vector<double>{0x1p24 + 2, 0x1p24 + 2, 5.25});
}

TEST_CASE("the gradient through a sum over cores is that of all cores' losses", "[graph]") {
  constexpr double kStep = 1e-5, kTolerance = 1e-6;
  constexpr std::size_t kCores = 3;
  Graph graph;
  const Value x = graph.input("x", kVector), scale = graph.input("scale", {Element::kF32, {}});
  const Value loss = sum(tanh(all_reduce(x * x, kCores)) * scale);
  graph.output("loss", loss);
  graph.output("d_x", gradients(loss, std::vector{x})[0]);
  std::vector<std::vector<Literal>> inputs;
  for (std::size_t core = 0; core < kCores; ++core) {
    inputs.push_back({random_literal(kVector, -0.6, 0.6, 7 + core),
                      {{Element::kF32, {}}, {1.5 - static_cast<double>(core)}}});
  }
  const auto losses = [&] {
    double all = 0;
    for (const auto& own : evaluate_cores(same(graph, kCores), inputs, Rounding::kNone)) {
      all += own[0].values[0];
    }
    return all;
  };
  const auto outputs = evaluate_cores(same(graph, kCores), inputs, Rounding::kNone);
  for (std::size_t core = 0; core < kCores; ++core) {
    for (std::size_t i = 0; i < 3; ++i) {
      double& value = inputs[core][0].values[i];
      const double before = value;
      value = before + kStep;
      const double above = losses();
      value = before - kStep;
      const double below = losses();
      value = before;
      INFO("core " << core << ", element " << i);
      CHECK(outputs[core][1].values[i] ==
            Approx((above - below) / (2 * kStep)).epsilon(kTolerance).margin(kTolerance));
    }
  }
}

TEST_CASE("cores with other rows meet at the same sums", "[graph]") {
  const auto make = [](std::int64_t rows) {
    auto graph = std::make_unique<Graph>();
    Value part = constant(*graph, {Element::kF32, {2}}, -0.0);  // a core without rows
    if (rows > 0) part = sum(graph->input("x", {Element::kF32, {rows, 2}}), {0});
    graph->output("y", all_reduce(part, 3) + all_reduce(part, 3));
    return graph;
  };
  const auto two = make(2), one = make(1), none = make(0);
  const Graph* const graphs[] = {two.get(), one.get(), none.get()};
  const std::vector<Literal> inputs[] = {
      {{{Element::kF32, {2, 2}}, {1, 2, 3, 4}}}, {{{Element::kF32, {1, 2}}, {10, 20}}}, {}};
  for (const auto& own : evaluate_cores(graphs, inputs)) {
    CHECK(own[0].values == std::vector<double>{28, 52});
  }
}

TEST_CASE("simplifying leaves every meeting of several cores", "[graph]") {
  Graph graph;
  const Value zero = constant(graph, kVector, 0);
  graph.output("y", all_reduce(zero, 2));
  graph.output("z", all_reduce(zero, 2));
  const Value alone = graph.input("x", kVector);
  graph.output("w", all_reduce(alone, 1));
  const auto simple = simplify(graph);
  CHECK(std::ranges::count(simple->operations(), 2, cores_of) == 2);
  CHECK(simple->outputs()[2].value == simple->inputs()[0].value);
  KnownValues known(graph);
  CHECK(known.find(zero.id()) != nullptr);
  CHECK(known.find(graph.outputs()[0].value) == nullptr);
}

TEST_CASE("a sum over cores reads back, and as JAX's psum prints it", "[graph]") {
  Graph graph;
  graph.output("y", all_reduce(graph.input("x", kVector), 4));
  CHECK(print(*read(print(graph))) == print(graph));
  const auto traced = read(
      R"(module @jit_f attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf32>) -> (tensor<3xf32> {jax.result_info = "result"}) {
    %0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
})");
  REQUIRE(traced->operations().size() == 1);
  CHECK(cores_of(traced->operations()[0]) == 2);
}

TEST_CASE("sums that cores cannot do are refused", "[graph]") {
  Graph graph;
  const Value x = graph.input("x", kVector), whole = graph.input("i", {Element::kS32, {3}});
  const auto sum_of = [&](Value value, const Integers& group, const std::string& body) {
    return refusal([&] { graph.add("all_reduce", {value}, {group, body}); });
  };
  CHECK(sum_of(x, {1, 0}, "add") ==
        "all_reduce(tensor<3xf32>): replica_groups are [1, 0], not one group of all cores in their "
        "order");
  CHECK(sum_of(x, {}, "add") ==
        "all_reduce(tensor<3xf32>): replica_groups are [], not one group of all cores in their "
        "order");
  CHECK(sum_of(x, {0, 1}, "maximum") ==
        "all_reduce(tensor<3xf32>): cores have no maximum of their values, only a sum: add");
  CHECK(sum_of(whole, {0, 1}, "add") == "all_reduce(tensor<3xi32>): operand 0 is i32, not f32");
  CHECK(refusal([&] {
          read(R"(func.func @main(%x: tensor<f32>) -> (tensor<f32>) {
    %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>}> ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>): %r = stablehlo.add %a, %b : tensor<f32> stablehlo.return %r : tensor<f32> }) : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  })");
        }) == "2:56: expected one group of all cores: dense<[[0, 1]]> : tensor<1x2xi64>");
}

TEST_CASE("a sum over cores is refused where no others are to meet", "[graph]") {
  Graph graph, longer;
  graph.output("y", all_reduce(graph.input("x", kVector), 2));
  const auto input = vector({1, 2, 3});
  CHECK(refusal([&] { evaluate(graph, input); }) ==
        "all_reduce(tensor<3xf32>): it adds values of 2 cores, and here is one");
  CHECK(refusal([&] { evaluate_cores(same(graph, 3), std::vector(3, input)); }) ==
        "all_reduce(tensor<3xf32>): it adds values of 2 cores, and here are 3");
  CHECK(refusal([&] { const CpuProgram program(graph, 1); }) ==
        "all_reduce(tensor<3xf32>): it adds values of 2 cores, and this program has no others to "
        "meet");
  const Value x = longer.input("x", kVector);
  longer.output("y", all_reduce(all_reduce(x, 2), 2));
  const Graph* const graphs[] = {&graph, &longer};
  CHECK(refusal([&] { evaluate_cores(graphs, std::vector(2, input)); }) ==
        "core 1 comes to all_reduce(tensor<3xf32>) of 2 cores where core 0 comes to the end");
}

}  // namespace
}  // namespace systole::tests
