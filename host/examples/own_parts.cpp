// A layer, an activation, a loss and an optimizer of one's own: each says its forward pass in
// operations of the graph, and trains on every device.
//
// Learns which of two rings a point lies in, from points it draws itself.
//
//   build/bin/own_parts              on model, a simulated 8 x 8 array
//   build/bin/own_parts cpu
//
// Expect an accuracy of 0.9 or more, and from model the same loss, to the last bit, every time.
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "host/nn/layers/dense.h"
#include "host/nn/layers/initializer.h"
#include "host/nn/numbers/generator.h"
#include "host/nn/training/sequential.h"

using namespace systole;
using nn::Value;

/// y = (x V + c) * logistic(x W + b): a linear layer with a gate for each unit.
struct Gated {
  std::int64_t units = 0;

  static std::string kind() { return "Gated"; }
  Value operator()(nn::Builder& builder, Value x) const {
    const std::int64_t inputs = x.dimension(1);
    const auto project = [&](const std::string& name) {
      return matmul(x, builder.weight(name + ".weight", {inputs, units},
                                      nn::initial(nn::Initializer::kHeNormal, inputs, units))) +
             builder.weight(name + ".bias", {units}, nn::constantly(0));
    };
    return project("value") * logistic(project("gate"));
  }
};

constexpr nn::Function kSilu{"silu", [](Value x) { return x * logistic(x); }};

/// The mean over rows of the hinges max(0, 1 - (y_label - y_other)).
Value hinge(Value outputs, Value targets) {
  const Value t = nn::dense_targets(outputs, targets);
  const Value own = repeat(sum(outputs * t, {1}), outputs.shape(), {1});
  const Value short_of = maximum(1.0 - (own - outputs), constant_like(outputs, 0));
  return mean(sum(short_of * (1.0 - t), {1}), {0});
}

/// Steps of one size against the sign of the smoothed gradient.
Value sign_descent(const nn::Update& update) {
  const Value old = update.slot();
  const Value smooth = old * 0.9 + update.gradient * 0.1;
  update.keep(old, smooth);
  return update.value - update.learning_rate * sign(smooth);
}

Dataset draw_rings(std::int64_t count, std::uint64_t seed) {
  Dataset points{.name = "rings", .sample_shape = {2}, .inputs = {}, .labels = {}, .classes = 2};
  nn::Generator random(seed);
  for (std::int64_t i = 0; i < count; ++i) {
    const float x = random.uniform(-1, 1), y = random.uniform(-1, 1);
    points.inputs.insert(points.inputs.end(), {x, y});
    points.labels.push_back(x * x + y * y < 0.6f);
  }
  return points;
}

int main(int argc, char** argv) {
  try {
    const Device device = Device::open(argc > 1 ? argv[1] : "model", {.array_size = 8});
    nn::Sequential model{Gated{.units = 16}, nn::Dense{.units = 16, .activation = kSilu},
                         nn::Dense{.units = 2}};
    model.compile({.loss = nn::OwnLoss{"hinge", hinge},
                   .optimizer = nn::OwnOptimizer{"sign descent", 0.005f, sign_descent},
                   .device = device});
    model.fit(draw_rings(4096, 1), {.epochs = 10, .batch_size = 64});
    const auto score = model.evaluate(draw_rings(1024, 2));
    fmt::print("loss {:.9g}, accuracy {:.4f}, {} device clocks\n", score.loss, score.accuracy,
               device.counters().cycles());
    return score.accuracy >= 0.9 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fputs(fmt::format("own_parts: {}\n", error.what()).c_str(), stderr);
    return 1;
  }
}
