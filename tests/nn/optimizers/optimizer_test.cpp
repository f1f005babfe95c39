#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "host/nn/layers/dense.h"
#include "host/nn/optimizers/adam.h"
#include "host/nn/optimizers/clip_norm.h"
#include "host/nn/optimizers/sgd.h"
#include "tests/nn/training/small_model.h"

namespace systole::tests {
namespace {

nn::Parameter parameter(float value, float gradient) {
  nn::Parameter p("weight", {1});
  p.value[0] = value;
  p.gradient[0] = gradient;
  return p;
}

}  // namespace

TEST_CASE("sgd steps against the gradient", "[optimizer]") {
  nn::Parameter p = parameter(1, 4);
  const nn::Sgd sgd{.learning_rate = 0.125f};
  sgd.update(p, 1);
  CHECK(p.value[0] == 0.5f);
  CHECK(p.version == 2);
  CHECK(p.slots.empty());
}

TEST_CASE("sgd with momentum keeps half of its velocity", "[optimizer]") {
  nn::Parameter p = parameter(1, 4);
  const nn::Sgd sgd{.learning_rate = 0.125f, .momentum = 0.5f};
  sgd.update(p, 1);
  CHECK(p.value[0] == 0.5f);  // v = -0.5
  sgd.update(p, 2);
  CHECK(p.value[0] == -0.25f);  // v = -0.25 - 0.5
  p.gradient[0] = 0;
  sgd.update(p, 3);
  CHECK(p.value[0] == -0.625f);  // v = -0.375
}

TEST_CASE("nesterov's momentum looks a step ahead", "[optimizer]") {
  nn::Parameter p = parameter(1, 4);
  const nn::Sgd sgd{.learning_rate = 0.125f, .momentum = 0.5f, .nesterov = true};
  sgd.update(p, 1);
  CHECK(p.value[0] == 0.25f);  // v = -0.5; 1 + 0.5 v - 0.5
  sgd.update(p, 2);
  CHECK(p.value[0] == -0.625f);  // v = -0.75; 0.25 + 0.5 v - 0.5
}

TEST_CASE("weight decay shortens weights before the step, whatever the gradient", "[optimizer]") {
  nn::Parameter p = parameter(2, 0), q = parameter(2, 0), r = parameter(2, 4);
  nn::Sgd{.learning_rate = 0.5f, .weight_decay = 0.25f}.update(p, 1);
  CHECK(p.value[0] == 1.75f);
  nn::Adam{.learning_rate = 0.5f, .weight_decay = 0.25f}.update(q, 1);
  CHECK(q.value[0] == 1.75f);
  nn::Sgd{.learning_rate = 0.5f, .weight_decay = 0.25f}.update(r, 1);
  CHECK(r.value[0] == -0.25f);
}

TEST_CASE("adam's first step is the learning rate, whatever the gradient's size", "[optimizer]") {
  const float gradient = GENERATE(-3.0f, 0.001f, 250.0f);
  nn::Parameter p = parameter(1, gradient);
  const nn::Adam adam{.learning_rate = 0.25f, .epsilon = 1e-12f};
  adam.update(p, 1);
  CHECK(p.value[0] == Approx(1 - std::copysign(0.25f, gradient)).epsilon(1e-4));
}

TEST_CASE("adam follows its formulas over three steps", "[optimizer]") {
  nn::Parameter p = parameter(0.5f, 0);
  const nn::Adam adam{.learning_rate = 0.01f};
  double w = 0.5, m = 0, v = 0;
  for (int t = 1; t <= 3; ++t) {
    const double g = 0.3 * t - 0.5;
    p.gradient[0] = static_cast<float>(g);
    adam.update(p, t);
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    const double rate = 0.01 * std::sqrt(1 - std::pow(0.999, t)) / (1 - std::pow(0.9, t));
    w -= rate * m / (std::sqrt(v) + 1e-7);
    CHECK(p.value[0] == Approx(w).epsilon(1e-5));
  }
}

TEST_CASE("optimizers leave a weight without gradient where it is", "[optimizer]") {
  nn::Parameter p = parameter(1.5f, 0);
  nn::Sgd{.learning_rate = 1, .momentum = 0.9f}.update(p, 1);
  CHECK(p.value[0] == 1.5f);
  nn::Parameter q = parameter(1.5f, 0);
  nn::Adam{}.update(q, 1);
  CHECK(q.value[0] == 1.5f);
}

TEST_CASE("optimizers refuse options out of range", "[optimizer]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float rate : {0.0f, -1.0f, nan, infinity}) {
    CHECK_THROWS_WITH(nn::Sgd{.learning_rate = rate}.check(), Catch::Contains("learning rate"));
    CHECK_THROWS_WITH(nn::Adam{.learning_rate = rate}.check(), Catch::Contains("learning rate"));
  }
  CHECK_THROWS_WITH((nn::Sgd{.momentum = 1}.check()), Catch::Contains("momentum"));
  CHECK_THROWS_WITH((nn::Sgd{.momentum = -0.1f}.check()), Catch::Contains("momentum"));
  CHECK_THROWS_WITH((nn::Sgd{.nesterov = true}.check()), Catch::Contains("nesterov"));
  CHECK_THROWS_WITH((nn::Sgd{.weight_decay = -1}.check()), Catch::Contains("weight decay"));
  CHECK_THROWS_WITH((nn::Adam{.weight_decay = nan}.check()), Catch::Contains("weight decay"));
  CHECK_THROWS_WITH((nn::Adam{.beta1 = 1}.check()), Catch::Contains("beta1"));
  CHECK_THROWS_WITH((nn::Adam{.beta2 = nan}.check()), Catch::Contains("beta2"));
  CHECK_THROWS_WITH((nn::Adam{.epsilon = 0}.check()), Catch::Contains("epsilon"));
}

TEST_CASE("training follows the schedule's learning rate from step to step", "[optimizer]") {
  const auto step_size = [](std::int64_t steps) {
    nn::Sequential model{nn::Dense{.units = 2}};
    model.compile({.optimizer = nn::Sgd{.learning_rate = 0.5f},
                   .schedule = nn::PiecewiseConstant{.boundaries = {1, 2}, .factors = {0.5, 0}},
                   .device = Device::open("cpu"),
                   .input_shape = {3}});
    const nn::Tensor x = random_tensor(4, 3, 1);
    const std::vector<std::int32_t> labels{0, 1, 0, 1};
    for (std::int64_t i = 1; i < steps; ++i) model.train_batch(x, labels);
    const std::vector<float> before = model.parameters()[0]->value;
    model.train_batch(x, labels);
    const nn::Parameter& weight = *model.parameters()[0];
    return (before[0] - weight.value[0]) / weight.gradient[0];
  };
  CHECK(step_size(1) == Approx(0.5).epsilon(1e-3));
  CHECK(step_size(2) == Approx(0.25).epsilon(1e-3));
  CHECK(step_size(3) == 0);
}

TEST_CASE("training clips the gradients' global norm", "[optimizer]") {
  nn::Sequential model{nn::Dense{.units = 2}};
  model.compile({.optimizer = nn::Sgd{},
                 .clip_norm = 0.125f,
                 .device = Device::open("cpu"),
                 .input_shape = {3}});
  model.train_batch(random_tensor(4, 3, 1), std::vector<std::int32_t>{0, 1, 0, 1});
  CHECK(nn::clip_norm(model.parameters(), 1) == Approx(0.125));
}

TEST_CASE("compile refuses a schedule, a loss and a limit out of range", "[optimizer]") {
  nn::Sequential model{nn::Dense{.units = 2}};
  const Device cpu = Device::open("cpu");
  CHECK_THROWS_WITH(model.compile({.schedule = nn::CosineDecay{.steps = 0}, .device = cpu}),
                    Catch::Contains("cosine"));
  CHECK_THROWS_WITH(
      model.compile({.loss = nn::CategoricalCrossEntropy{.label_smoothing = 2}, .device = cpu}),
      Catch::Contains("label_smoothing"));
  CHECK_THROWS_WITH(model.compile({.clip_norm = 0.0f, .device = cpu}),
                    Catch::Contains("clip_norm"));
}

}  // namespace systole::tests
