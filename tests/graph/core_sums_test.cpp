// Programs of several cores on this processor, which meet at their sums.
#include "host/cpu/core_sums.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "host/cpu/program.h"
#include "host/distribute/ordered_sum.h"
#include "host/distribute/split.h"
#include "host/graph/cores.h"
#include "host/graph/gradient.h"
#include "host/graph/ops.h"
#include "tests/distribute/on_ranks.h"

namespace systole::tests {
namespace {

using graph::Graph;
using graph::Literal;
using graph::Value;

constexpr std::int64_t kRows = 10, kDepth = 5, kUnits = 3;
const graph::Type kWeights{graph::Element::kF32, {kDepth, kUnits}};
constexpr double kRate = 0.25;

/// One core's step of a small regression, its update included: the gradients of all cores, weighted
/// by their rows, are added before it.
std::unique_ptr<Graph> step_of(int core, int cores) {
  const std::int64_t rows = rows_of_core(kRows, core, cores).count;
  auto step = std::make_unique<Graph>();
  const Value w = step->input("w", kWeights);
  Value loss = constant(*step, {graph::Element::kF32, {}}, -0.0),
        d_w = constant(*step, kWeights, -0.0);  // -0 + x is x
  if (rows > 0) {
    const Value x = step->input("x", {graph::Element::kF32, {rows, kDepth}});
    const Value own = mean(tanh(matmul(x, w)), {0, 1});
    const double weight = static_cast<float>(static_cast<float>(rows) / static_cast<float>(kRows));
    d_w = gradients(own, std::vector{w})[0] * weight;
    loss = own * weight;
  }
  if (cores > 1) {
    loss = all_reduce(loss, cores);
    d_w = all_reduce(d_w, cores);
  }
  step->output("loss", loss);
  step->output("gradient", d_w);
  step->update(w, "w.next", w - d_w * kRate);
  return step;
}

std::vector<float> random_values(std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(static_cast<double>(random() >> 40) * 0x1p-23 - 1));
  }
  return values;
}

std::vector<float> rows_of(int core, int cores) {
  const RowRange rows = rows_of_core(kRows, core, cores);
  const std::vector<float> all = random_values(kRows * kDepth, 3);
  return {all.begin() + rows.first * kDepth, all.begin() + (rows.first + rows.count) * kDepth};
}

/// What a core has after some steps.
struct Trained {
  std::vector<float> losses, gradient, weights;
  bool operator==(const Trained&) const = default;
};

Trained train(int core, int cores, int steps, const graph::SumOverCores& sum_over_cores) {
  const auto step = step_of(core, cores);
  graph::CpuProgram program(
      *step, 1, [&](const Graph& simple) { return graph::core_sums(simple, sum_over_cores); });
  Trained result{{}, std::vector<float>(kDepth * kUnits), random_values(kDepth * kUnits, 1)};
  const std::vector<float> x = rows_of(core, cores);
  for (int i = 0; i < steps; ++i) {
    float loss = 0;
    std::vector<const void*> from{result.weights.data()};
    if (!x.empty()) from.push_back(x.data());
    void* const to[] = {&loss, result.gradient.data(), result.weights.data()};
    program.run(from, to);
    result.losses.push_back(loss);
  }
  return result;
}

/// The same with programs that end at the gradients, which the host adds and the weights take.
Trained train_with_hosts_sum(int cores, int steps) {
  Trained result{{}, std::vector<float>(kDepth * kUnits), random_values(kDepth * kUnits, 1)};
  const auto ranks = single_rank();
  for (int i = 0; i < steps; ++i) {
    std::vector<std::vector<float>> gradients, losses;
    std::vector<WeightedValues> parts, loss_parts;
    for (int core = 0; core < cores; ++core) {
      const std::int64_t rows = rows_of_core(kRows, core, cores).count;
      if (rows == 0) continue;
      Graph own;
      const Value w = own.input("w", kWeights),
                  x = own.input("x", {graph::Element::kF32, {rows, kDepth}});
      const Value loss = mean(tanh(matmul(x, w)), {0, 1});
      own.output("loss", loss);
      own.output("gradient", graph::gradients(loss, std::vector{w})[0]);
      const std::vector<float> values = rows_of(core, cores);
      gradients.emplace_back(kDepth * kUnits);
      losses.emplace_back(1);
      const void* const from[] = {result.weights.data(), values.data()};
      void* const to[] = {losses.back().data(), gradients.back().data()};
      graph::CpuProgram(own, 1).run(from, to);
      const float weight = static_cast<float>(rows) / static_cast<float>(kRows);
      parts.push_back({weight, {}});
      loss_parts.push_back({weight, {}});
    }
    for (std::size_t part = 0; part < parts.size(); ++part) {
      parts[part].values = gradients[part];
      loss_parts[part].values = losses[part];
    }
    float loss = 0;
    ordered_sum(*ranks, parts, result.gradient);
    ordered_sum(*ranks, loss_parts, {&loss, 1});
    result.losses.push_back(loss);
    Graph update;
    const Value w = update.input("w", kWeights), d_w = update.input("d_w", kWeights);
    update.update(w, "w.next", w - d_w * kRate);
    const void* const from[] = {result.weights.data(), result.gradient.data()};
    void* const to[] = {result.weights.data()};
    graph::CpuProgram(update, 1).run(from, to);
  }
  return result;
}

}  // namespace

TEST_CASE("cores that meet in their programs train to the bits of the host's sum", "[core_sums]") {
  constexpr int kSteps = 20;
  const int cores = GENERATE(1, 2, 3, 4, 8, 12);  // 12: two cores have no row
  CAPTURE(cores);
  const Trained expected = train_with_hosts_sum(cores, kSteps);
  std::vector<Trained> trained(static_cast<std::size_t>(cores));
  on_ranks(cores, [&](std::shared_ptr<Communicator> communicator) {
    trained[static_cast<std::size_t>(communicator->rank())] =
        train(communicator->rank(), cores, kSteps, [&](std::span<float> values) {
          const WeightedValues part{1, values};
          ordered_sum(*communicator, {&part, 1}, values);
        });
  });
  for (const Trained& own : trained) CHECK(own == expected);
  CHECK(expected.losses.back() < expected.losses.front());
}

TEST_CASE("sums of the processor's cores have the bits of the oracle's", "[core_sums]") {
  const int cores = GENERATE(2, 5);
  constexpr std::int64_t kCount = 257;
  Graph graph;
  const Value x = graph.input("x", {graph::Element::kF32, {kCount}});
  const Value first = all_reduce(x, cores);
  graph.output("y", all_reduce(x * first, cores));
  std::vector<std::vector<Literal>> inputs;
  for (int core = 0; core < cores; ++core) {
    const std::vector<float> values = random_values(kCount, 20 + static_cast<std::uint64_t>(core));
    inputs.push_back({{x.type(), {values.begin(), values.end()}}});
  }
  const auto expected = graph::evaluate_cores(
      std::vector<const Graph*>(static_cast<std::size_t>(cores), &graph), inputs);
  on_ranks(cores, [&](std::shared_ptr<Communicator> communicator) {
    const auto core = static_cast<std::size_t>(communicator->rank());
    graph::CpuProgram program(graph, 1, [&](const Graph& simple) {
      return graph::core_sums(simple, [&](std::span<float> values) {
        const WeightedValues part{1, values};
        ordered_sum(*communicator, {&part, 1}, values);
      });
    });
    const std::vector<float> values(inputs[core][0].values.begin(), inputs[core][0].values.end());
    std::vector<float> found(kCount);
    const void* const from[] = {values.data()};
    void* const to[] = {found.data()};
    program.run(from, to);
    if (!std::ranges::equal(found, expected[core][0].values)) {
      throw std::runtime_error("a core's sum differs from the oracle's");
    }
  });
}

}  // namespace systole::tests
