#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "host/nn/layers/dense.h"
#include "host/nn/training/update_steps.h"
#include "tests/nn/training/small_model.h"

namespace systole::tests {
namespace {

nn::Parameter parameter(float value, float gradient) {
  nn::Parameter p("weight", {1});
  p.value[0] = value;
  p.gradient[0] = gradient;
  return p;
}

void update(const nn::Optimizer& optimizer, nn::Parameter& p, std::int64_t step) {
  const float rate = std::visit([](const auto& one) { return one.learning_rate; }, optimizer);
  nn::Parameter* const parameters[] = {&p};
  nn::UpdateSteps().run(parameters, optimizer, {}, rate, step, Device::open("cpu"));
}

}  // namespace

TEST_CASE("sgd steps against the gradient", "[optimizer]") {
  nn::Parameter p = parameter(1, 4);
  const nn::Sgd sgd{.learning_rate = 0.125f};
  update(sgd, p, 1);
  CHECK(p.value[0] == 0.5f);
  CHECK(p.version == 2);
  CHECK(p.slots.empty());
}

TEST_CASE("sgd with momentum keeps half of its velocity", "[optimizer]") {
  nn::Parameter p = parameter(1, 4);
  const nn::Sgd sgd{.learning_rate = 0.125f, .momentum = 0.5f};
  update(sgd, p, 1);
  CHECK(p.value[0] == 0.5f);  // v = -0.5
  update(sgd, p, 2);
  CHECK(p.value[0] == -0.25f);  // v = -0.25 - 0.5
  p.gradient[0] = 0;
  update(sgd, p, 3);
  CHECK(p.value[0] == -0.625f);  // v = -0.375
}

TEST_CASE("nesterov's momentum looks a step ahead", "[optimizer]") {
  nn::Parameter p = parameter(1, 4);
  const nn::Sgd sgd{.learning_rate = 0.125f, .momentum = 0.5f, .nesterov = true};
  update(sgd, p, 1);
  CHECK(p.value[0] == 0.25f);  // v = -0.5; 1 + 0.5 v - 0.5
  update(sgd, p, 2);
  CHECK(p.value[0] == -0.625f);  // v = -0.75; 0.25 + 0.5 v - 0.5
}

TEST_CASE("weight decay shortens weights before the step, whatever the gradient", "[optimizer]") {
  nn::Parameter p = parameter(2, 0), q = parameter(2, 0), r = parameter(2, 4);
  update(nn::Sgd{.learning_rate = 0.5f, .weight_decay = 0.25f}, p, 1);
  CHECK(p.value[0] == 1.75f);
  update(nn::Adam{.learning_rate = 0.5f, .weight_decay = 0.25f}, q, 1);
  CHECK(q.value[0] == 1.75f);
  update(nn::Sgd{.learning_rate = 0.5f, .weight_decay = 0.25f}, r, 1);
  CHECK(r.value[0] == -0.25f);
}

TEST_CASE("AdamW shortens matrices and leaves vectors", "[optimizer]") {
  nn::Parameter matrix("weight", {1, 1}), vector = parameter(2, 0);
  matrix.value[0] = 2;
  const nn::Adam adam = nn::adam_w(0.5f, 0.25f);
  update(adam, matrix, 1);
  update(adam, vector, 1);
  CHECK(matrix.value[0] == 1.75f);
  CHECK(vector.value[0] == 2);
  CHECK(adam.describe() == "adam, learning rate 0.5, weight decay 0.25 of matrices");
}

TEST_CASE("adam's first step is the learning rate, whatever the gradient's size", "[optimizer]") {
  const float gradient = GENERATE(-3.0f, 0.001f, 250.0f);
  nn::Parameter p = parameter(1, gradient);
  const nn::Adam adam{.learning_rate = 0.25f, .epsilon = 1e-12f};
  update(adam, p, 1);
  CHECK(p.value[0] == Approx(1 - std::copysign(0.25f, gradient)).epsilon(1e-4));
}

TEST_CASE("adam follows its formulas over three steps", "[optimizer]") {
  nn::Parameter p = parameter(0.5f, 0);
  const nn::Adam adam{.learning_rate = 0.01f};
  double w = 0.5, m = 0, v = 0;
  for (int t = 1; t <= 3; ++t) {
    const double g = 0.3 * t - 0.5;
    p.gradient[0] = static_cast<float>(g);
    update(adam, p, t);
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    const double rate = 0.01 * std::sqrt(1 - std::pow(0.999, t)) / (1 - std::pow(0.9, t));
    w -= rate * m / (std::sqrt(v) + 1e-7);
    CHECK(p.value[0] == Approx(w).epsilon(1e-5));
  }
}

TEST_CASE("optimizers leave a weight without gradient unchanged", "[optimizer]") {
  nn::Parameter p = parameter(1.5f, 0);
  update(nn::Sgd{.learning_rate = 1, .momentum = 0.9f}, p, 1);
  CHECK(p.value[0] == 1.5f);
  nn::Parameter q = parameter(1.5f, 0);
  update(nn::Adam{}, q, 1);
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

TEST_CASE("training follows the learning rate schedule step by step", "[optimizer]") {
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
    model.compute_gradients(x, labels);
    const float gradient = model.parameters()[0]->gradient[0];
    model.train_batch(x, labels);
    return (before[0] - model.parameters()[0]->value[0]) / gradient;
  };
  CHECK(step_size(1) == Approx(0.5).epsilon(1e-3));
  CHECK(step_size(2) == Approx(0.25).epsilon(1e-3));
  CHECK(step_size(3) == 0);
}

TEST_CASE("training clips the gradients' global norm", "[optimizer]") {
  nn::Sequential model{nn::Dense{.units = 2}};
  model.compile({.optimizer = nn::Sgd{.learning_rate = 1},
                 .clip_norm = 0.125f,
                 .device = Device::open("cpu"),
                 .input_shape = {3}});
  std::vector<std::vector<float>> before;
  for (const nn::Parameter* p : model.parameters()) before.push_back(p->value);
  model.train_batch(random_tensor(4, 3, 1), std::vector<std::int32_t>{0, 1, 0, 1});
  // Sgd's step is the clipped gradient times the rate.
  double squares = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto& after = model.parameters()[i]->value;
    for (std::size_t k = 0; k < after.size(); ++k) squares += std::pow(after[k] - before[i][k], 2);
  }
  CHECK(std::sqrt(squares) == Approx(0.125).epsilon(1e-4));
}

TEST_CASE("gradients are scaled by one factor when their norm is too large", "[optimizer]") {
  const auto steps = [](float limit) {
    nn::Parameter a("a", {2}), b("b", {1});
    nn::Parameter* const both[] = {&a, &b};
    a.gradient = {2, -3};
    b.gradient = {6};
    nn::UpdateSteps().run(both, nn::Sgd{}, limit, 1, 1, Device::open("cpu"));
    return std::vector<float>{-a.value[0], -a.value[1], -b.value[0]};
  };
  CHECK(steps(7.5) == std::vector<float>{2, -3, 6});
  CHECK(steps(3.5) == std::vector<float>{1, -1.5f, 3});
}

TEST_CASE("a user's own optimizer trains a model and keeps its memory", "[optimizer]") {
  const nn::OwnOptimizer signs{"signs of the velocity", 0.01f, [](const nn::Update& update) {
                                 const nn::Value old = update.slot();
                                 const nn::Value velocity = old * 0.5 + update.gradient;
                                 update.keep(old, velocity);
                                 return update.value - update.learning_rate * sign(velocity);
                               }};
  nn::Sequential model = small_model(8, 3);
  model.compile({.optimizer = signs, .device = Device::open("cpu")});
  const auto losses = model.fit(small_data(64, 6, 3), {.epochs = 10, .batch_size = 16}).losses;
  CHECK(losses.back() < 0.7 * losses.front());
  CHECK(model.parameters()[0]->slots.size() == 1);
  CHECK(model.parameters()[0]->slots[0] != std::vector<float>(6 * 8, 0.0f));
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
