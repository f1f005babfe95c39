// Whole steps whose products are in int8: scales, roundings and sums on the device.
#include "host/compiler/rewrites/quantized_products.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "host/compiler/program/step_program.h"
#include "host/graph/gradient.h"
#include "host/graph/ops.h"
#include "host/graph/reference.h"
#include "host/nn/layers/activation.h"
#include "host/nn/layers/dense.h"
#include "host/nn/training/replica.h"
#include "tests/lowering/interpreted_device.h"
#include "tests/support/random.h"

namespace systole::tests {
namespace {

using graph::Element;
using graph::Graph;
using graph::Literal;
using graph::Shape;
using graph::Value;

constexpr std::uint64_t kSeed = 0x5eed'1478;
constexpr lowering::Quantization kInt8{.seed = 7};

/// A graph whose outputs are states, run on a device in int8 and by the oracle in double.
class Bench {
 public:
  template <typename Write>
  Bench(int lanes, const Write& write, const lowering::Quantization& quantization = kInt8)
      : device_(lanes) {
    write(graph_);
    step_.emplace(graph_, device_.memory(),
                  lowering::StepProgram::Options{.sizes = {.array_size = lanes},
                                                 .quantization = quantization});
  }

  void give(const std::string& name, std::vector<float> values) { batch_[name] = values; }

  void run(int update = 1) {
    auto feed = step_->make_feed();
    for (const auto& [name, values] : batch_) {
      step_->set_batch(feed, name, values.data(), std::ssize(values));
    }
    step_->set_scalars(feed, {{"update", update}});
    step_->write(0, feed);
    REQUIRE(device_.run(step_->program(1)).fault == device::FaultCode::kNone);
  }

  std::vector<float> found(const std::string& name) const {
    const auto input = std::ranges::find(graph_.inputs(), name, &graph::Input::name);
    std::vector<float> values(graph::element_count(graph_.type(input->value).shape));
    step_->read_state(name, values);
    return values;
  }

  std::vector<double> expected(const std::string& name) const {
    std::vector<Literal> inputs;
    for (const graph::Input& input : graph_.inputs()) {
      Literal literal{.type = graph_.type(input.value), .values = {0}};
      if (const auto given = batch_.find(input.name); given != batch_.end()) {
        literal.values.assign(given->second.begin(), given->second.end());
      }
      inputs.push_back(std::move(literal));
    }
    const auto all = graph::evaluate(graph_, inputs, graph::Rounding::kNone);
    const auto output = std::ranges::find(graph_.outputs(), name + ".next", &graph::Output::name);
    return all[output - graph_.outputs().begin()].values;
  }

  const lowering::LoweredGraph& lowered() const { return step_->lowered(); }

 private:
  Graph graph_;
  InterpretedDevice device_;
  std::optional<lowering::StepProgram> step_;
  std::map<std::string, std::vector<float>> batch_;
};

void keep(Graph& graph, const std::string& name, Value value) {
  graph.update(graph.input(name, value.type()), name + ".next", value);
}

/// Whole numbers whose largest is 127, which int8 has exactly.
std::vector<float> whole_numbers(Random& random, const Shape& shape) {
  std::vector<float> values(graph::element_count(shape));
  for (float& value : values) value = static_cast<float>(random.below(255)) - 127;
  values.front() = -127;
  return values;
}

/// y = product(x, w) + b, its gradients for d_y = 2 t, and what they are of whole numbers.
template <typename Multiply>
void check_exact(int lanes, const Shape& x_shape, const Shape& w_shape, const Multiply& multiply,
                 const lowering::Quantization& quantization = kInt8) {
  CAPTURE(lanes, x_shape, w_shape, quantization.most_depth);
  Random random(kSeed);
  Shape y_shape;
  const auto write = [&](Graph& graph) {
    graph.input("update", {Element::kF32, {}});
    const Value x = graph.input("x", {Element::kF32, x_shape});
    const Value w = graph.input("w", {Element::kF32, w_shape});
    const Value b = graph.input("b", {Element::kF32, {w_shape.back()}});
    const Value y = multiply(x, w) + b;
    y_shape = y.shape();
    const Value t = graph.input("t", {Element::kF32, y_shape});
    const Value wanted[] = {x, w, b};
    const auto d = graph::gradients(sum(y * t) * 2.0, wanted);
    keep(graph, "y", y);
    keep(graph, "d_x", d[0]);
    keep(graph, "d_w", d[1]);
    keep(graph, "d_b", d[2]);
  };
  Bench bench(lanes, write, quantization);
  bench.give("x", whole_numbers(random, x_shape));
  bench.give("w", whole_numbers(random, w_shape));
  bench.give("b", whole_numbers(random, {w_shape.back()}));
  bench.give("t", whole_numbers(random, y_shape));
  bench.run();
  for (const char* name : {"y", "d_x", "d_w", "d_b"}) {
    CAPTURE(name);
    const auto found = bench.found(name);
    const auto expected = bench.expected(name);
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      CAPTURE(i);
      // Sums are exact; the scales of 1 and 2 are within some 2^-22.
      CHECK(found[i] == Approx(expected[i]).epsilon(1e-6).margin(1e-3));
    }
  }
}

}  // namespace

TEST_CASE("products of whole numbers are exact in int8, forward and backward", "[quantized]") {
  INFO("seed " << kSeed);
  const int lanes = GENERATE(4, 16);
  for (const Shape& sizes : {Shape{1, 1, 1}, Shape{5, 9, 7}, Shape{17, 4, 16}, Shape{3, 40, 33}}) {
    check_exact(lanes, {sizes[0], sizes[1]}, {sizes[1], sizes[2]},
                [](Value x, Value w) { return matmul(x, w); });
  }
}

TEST_CASE("convolutions of whole numbers are exact in int8, forward and backward", "[quantized]") {
  INFO("seed " << kSeed);
  const int lanes = GENERATE(4, 16);
  const auto convolve = [](std::int64_t padding) {
    return [padding](Value x, Value w) {
      return convolution(x, w, "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
                         {.low = {padding, padding}, .high = {padding, padding}});
    };
  };
  check_exact(lanes, {2, 5, 7, 3}, {3, 3, 3, 6}, convolve(0));
  check_exact(lanes, {1, 6, 4, 16}, {3, 3, 16, 5}, convolve(1));
  check_exact(lanes, {3, 5, 5, 1}, {2, 2, 1, 9}, convolve(0));
}

TEST_CASE("a kernel's gradient over too many pixels is a sum of images' products", "[quantized]") {
  INFO("seed " << kSeed);
  const int lanes = GENERATE(4, 16);
  const auto convolve = [](Value x, Value w) {
    return convolution(x, w, "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
                       {.low = {1, 1}, .high = {1, 1}});
  };
  // 5 images of 24 pixels: 2, 2 and 1; 7 images one by one, more than a kernel has streams.
  check_exact(lanes, {5, 6, 4, 16}, {3, 3, 16, 5}, convolve, {.seed = 7, .most_depth = 144});
  check_exact(lanes, {7, 4, 4, 32}, {3, 3, 32, 3}, convolve, {.seed = 7, .most_depth = 288});
  CHECK_THROWS_WITH(
      check_exact(lanes, {2, 40, 4, 1}, {3, 3, 1, 3}, convolve, {.seed = 7, .most_depth = 100}),
      Catch::Contains("adds up to 100 products") && Catch::Contains("are 160"));
}

TEST_CASE("a pooling's gradient becomes int8 before it is spread", "[quantized]") {
  const int lanes = GENERATE(4, 16);
  const auto maxima = [](Value x) {
    const Value least = constant(x.graph(), {Element::kF32, {}}, -INFINITY);
    return reduce_window(x, least, "maximum", {.size = {1, 2, 2, 1}, .strides = {1, 2, 2, 1}});
  };
  Random random(kSeed);
  const auto convolve = [](Value x, Value w) {
    return convolution(x, w, "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", {});
  };
  for (const std::int64_t size : {6, 7}) {  // windows of 2 x 2 fill the result, or not
    CAPTURE(lanes, size);
    Bench bench(lanes, [&](Graph& graph) {
      graph.input("update", {Element::kF32, {}});
      const Value x = graph.input("x", {Element::kF32, {3, size, size, 2}});
      const Value w = graph.input("w", {Element::kF32, {3, 3, 2, 5}});
      const Value pooled = maxima(convolve(x, w));
      const Value t = graph.input("t", {Element::kF32, pooled.shape()});
      const Value wanted[] = {w};
      keep(graph, "d_w", graph::gradients(sum(pooled * t), wanted)[0]);
      keep(graph, "pooled", pooled);  // in fp32: of equal numbers in bf16, the first is the largest
    });
    bench.give("x", whole_numbers(random, {3, size, size, 2}));
    bench.give("w", whole_numbers(random, {3, 3, 2, 5}));
    bench.give("t", whole_numbers(random, {3, (size - 2) / 2, (size - 2) / 2, 5}));
    bench.run();
    // No kernel over all pixels converts.
    const bool is_small = std::ranges::none_of(bench.lowered().units, [&](const auto& unit) {
      const lowering::KernelCode* code = unit.kernel();
      const bool writes_bytes =
          code != nullptr && std::ranges::any_of(code->out, [](const lowering::Port& port) {
            return port.format == lowering::Format::kInt8;
          });
      return writes_bytes && code->rows * code->cols == 3 * (size - 2) * (size - 2) * 5;
    });
    CHECK(is_small);
    const auto found = bench.found("d_w");
    const auto wanted = bench.expected("d_w");
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(found[i] == Approx(wanted[i]).epsilon(1e-6).margin(1e-3));
    }
  }
}

TEST_CASE("a normalisation takes products of whole numbers as they are", "[quantized]") {
  INFO("seed " << kSeed);
  const int lanes = GENERATE(4, 16);
  const std::int64_t rows = GENERATE(1, 8, 150);
  constexpr std::int64_t kDepth = 12, kCols = 10;
  CAPTURE(lanes, rows);
  Random random(kSeed);
  Bench bench(lanes, [&](Graph& graph) {
    graph.input("update", {Element::kF32, {}});
    const Value x = graph.input("x", {Element::kF32, {rows, kDepth}});
    const Value w = graph.input("w", {Element::kF32, {kDepth, kCols}});
    const Value b = graph.input("b", {Element::kF32, {kCols}});
    const Value y = matmul(x, w) + b;
    const double each = 1.0 / static_cast<double>(rows);
    const Value mean = sum(y, {0}) * each;
    const Value distances = y - broadcast_to(mean, y.shape());
    const Value variance = sum(distances * distances, {0}) * each;
    keep(graph, "mean", mean);
    keep(graph, "variance", variance);
    keep(graph, "normal", distances * broadcast_to(rsqrt(variance + 1.0), y.shape()));
  });
  bench.give("x", whole_numbers(random, {rows, kDepth}));
  bench.give("w", whole_numbers(random, {kDepth, kCols}));
  bench.give("b", whole_numbers(random, {kCols}));
  bench.run();
  for (const char* name : {"mean", "variance", "normal"}) {
    CAPTURE(name);
    const auto found = bench.found(name);
    const auto expected = bench.expected(name);
    for (std::size_t i = 0; i < found.size(); ++i) {
      CAPTURE(i);
      CHECK(found[i] == Approx(expected[i]).epsilon(1e-4).margin(1e-2));
    }
  }
}

TEST_CASE("a product's error is that of its operands' scales", "[quantized]") {
  constexpr std::int64_t kRows = 9, kDepth = 37, kCols = 11;
  const int lanes = GENERATE(4, 16);
  Random random(kSeed);
  const auto some = [&](std::int64_t count, float size) {
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) {
      value = size * (static_cast<float>(random.below(1 << 16)) * 0x1p-15f - 1);
    }
    return values;
  };
  Bench bench(lanes, [](Graph& graph) {
    keep(graph, "y",
         matmul(graph.input("x", {Element::kF32, {kRows, kDepth}}),
                graph.input("w", {Element::kF32, {kDepth, kCols}})));
  });
  const auto x = some(kRows * kDepth, 3.0f), w = some(kDepth * kCols, 1e-12f);
  bench.give("x", x);
  bench.give("w", w);
  bench.run();
  const auto half_step = [](const std::vector<float>& values) {
    float largest = 0;
    for (const float value : values) largest = std::max(largest, std::fabs(value));
    constexpr double kFp32 = 1e-5;  // of the inverse's and the scale's roundings
    return largest / 127.0 * (0.5 + kFp32);
  };
  const double e_x = half_step(x), e_w = half_step(w);
  const auto found = bench.found("y");
  const auto expected = bench.expected("y");
  for (std::int64_t r = 0; r < kRows; ++r) {
    for (std::int64_t c = 0; c < kCols; ++c) {
      double bound = 0;
      for (std::int64_t k = 0; k < kDepth; ++k) {
        bound += std::fabs(x[r * kDepth + k]) * e_w + std::fabs(w[k * kCols + c]) * e_x + e_x * e_w;
      }
      CHECK(std::fabs(found[r * kCols + c] - expected[r * kCols + c]) <= bound);
    }
  }
}

TEST_CASE("zeros, infinities and NaN stay what they are", "[quantized]") {
  Bench bench(4, [](Graph& graph) {
    keep(graph, "y",
         matmul(graph.input("x", {Element::kF32, {2, 3}}),
                graph.input("w", {Element::kF32, {3, 2}})));
  });
  bench.give("w", {1, 2, 3, 4, 5, 6});
  for (const float largest : {0.0f, 0x1p-101f}) {
    bench.give("x", {0, largest, 0, 0, -largest, 0});
    bench.run();
    CHECK(bench.found("y") == std::vector<float>(4, 0.0f));
  }
  for (const float broken : {INFINITY, -INFINITY, NAN}) {
    bench.give("x", {1, broken, 0, 0, 1, 2});
    bench.run();
    for (const float value : bench.found("y")) CHECK(std::isnan(value));
  }
}

// 400 steps of a value whose neighbours in int8 are a quantum apart.
TEST_CASE("gradients are rounded up as often as their distance says", "[quantized]") {
  constexpr std::int64_t kCount = 24;
  constexpr int kSteps = 400;
  Bench bench(4, [](Graph& graph) {
    graph.input("update", {Element::kF32, {}});
    const Value x = graph.input("x", {Element::kF32, {2, kCount / 2}});
    const Value one = graph.input("one", {Element::kF32, {kCount / 2, kCount / 2}});
    const Graph::Scope scope(graph, "d_layer");
    keep(graph, "y", matmul(negate(x), one));
  });
  std::vector<float> x, one(kCount / 2 * kCount / 2);
  for (int i = 0; i < kCount; ++i) x.push_back(static_cast<float>(i * i) / 7.3f - 20);
  for (int i = 0; i < kCount / 2; ++i) one[i * kCount / 2 + i] = 1;
  bench.give("x", x);
  bench.give("one", one);
  const double quantum = *std::ranges::max_element(x) / 127;
  std::vector<double> sum(kCount), least(kCount, 1e9), most(kCount, -1e9);
  for (int step = 1; step <= kSteps; ++step) {
    bench.run(step);
    const auto y = bench.found("y");
    for (int i = 0; i < kCount; ++i) {
      sum[i] += y[i];
      least[i] = std::min<double>(least[i], y[i]);
      most[i] = std::max<double>(most[i], y[i]);
      CHECK(std::fabs(y[i] + x[i]) <= quantum * 1.001);
    }
  }
  // Half a quantum at most is the deviation of one step; five deviations of the mean.
  const double allowed = 5 * 0.5 * quantum / std::sqrt(kSteps);
  for (int i = 0; i < kCount; ++i) {
    CAPTURE(i, x[i] / quantum);
    CHECK(std::fabs(sum[i] / kSteps + x[i]) <= allowed);
    const double fraction = x[i] / quantum - std::floor(x[i] / quantum);
    if (std::fabs(fraction - 0.5) < 0.4) CHECK(most[i] - least[i] == Approx(quantum));
  }
}

TEST_CASE("each tensor becomes int8 once, and an embedding stays in bf16", "[quantized]") {
  const std::vector<nn::Layer> layers = {nn::Dense{.units = 7}, nn::Relu{}, nn::Dense{.units = 10}};
  nn::Replica replica(std::make_shared<const std::vector<nn::Layer>>(layers));
  replica.build({9}, 1);
  const nn::TrainingGraph whole =
      replica.training_graph(5, nn::SoftmaxCrossEntropy{}, nn::Sgd{}, {});
  const auto lowered =
      lowering::lower_graph(*whole.graph, {.array_size = 4}, nn::states_of(whole), kInt8);
  std::int64_t bytes = 0, products = 0, sums = 0;
  for (const lowering::Stored& stored : lowered.stored) {
    bytes += stored.has(lowering::Format::kInt8) ? 1 : 0;
  }
  for (const lowering::Unit& unit : lowered.units) {
    const lowering::MatrixMatch* match = unit.product();
    if (match == nullptr) continue;
    CHECK(match->type == DataType::kInt8);
    products += 1;
    sums += match->column_sums >= 0 ? 1 : 0;
  }
  CHECK(products == 5);
  CHECK(sums == 2);
  CHECK(bytes == 6);  // the batch, the ReLU's result, two weights, two gradients

  Bench rows(4, [](Graph& graph) {
    const Value table = graph.input("table", {Element::kF32, {6, 5}});
    const Value numbers = graph.input("numbers", {Element::kS32, {3}});
    keep(graph, "y", take_rows(table, numbers) * 0.5);
  });
  for (const lowering::Unit& unit : rows.lowered().units) {
    if (unit.product() != nullptr) CHECK(unit.product()->type == DataType::kBf16);
  }
}

TEST_CASE("what int8 cannot do is refused by layer", "[quantized]") {
  const auto refusal = [](const auto& write) -> std::string {
    Graph graph;
    write(graph);
    try {
      lowering::lower_graph(graph, {.array_size = 4}, {}, kInt8);
    } catch (const graph::GraphError& error) {
      return error.what();
    }
    return "nothing";
  };
  const auto write = [](Graph& graph, std::int64_t depth, std::string_view layer) {
    const Value x = graph.input("x", {Element::kF32, {2, depth}});
    const Value w = graph.input("w", {Element::kF32, {depth, 3}});
    const Graph::Scope scope(graph, layer);
    keep(graph, "y", matmul(negate(x), w));
  };
  constexpr std::int64_t kMost = lowering::kMostQuantizedDepth;
  CHECK(refusal([&](Graph& graph) { write(graph, kMost, "1.dense"); }) == "nothing");
  CHECK_THAT(refusal([&](Graph& graph) { write(graph, kMost + 1, "1.dense"); }),
             Catch::StartsWith("1.dense: dot_general(") && Catch::Contains("132105"));
  CHECK_THAT(refusal([&](Graph& graph) { write(graph, 4, "d_1.dense"); }),
             Catch::Contains("an input named update"));
}

}  // namespace systole::tests
