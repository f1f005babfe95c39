#include <catch2/catch.hpp>

#include "host/graph/text.h"
#include "host/nn/training/models.h"
#include "host/nn/training/sequential.h"
#include "step_runner.h"
#include "tests/nn/training/small_model.h"

namespace systole::tests {
namespace {

// Of losses near 2 over twenty steps: each step rounds in another order of sums, and what differs
// grows as weights move apart.
constexpr double kLossTolerance = 2e-5;
constexpr int kSteps = 20;

struct Case {
  std::string model;
  std::int64_t batch;
  nn::Optimizer host;
  graph::Optimizer expression;
  float learning_rate;
};

void check_equal_losses(const Case& item) {
  INFO(item.model);
  nn::Model named = nn::find_model(item.model, 0.0f);
  nn::Sequential model(named.layers);
  model.compile({.optimizer = item.host,
                 .device = Device::open("cpu", {.threads = 2}),
                 .input_shape = named.input_shape});
  graph::Shape images = named.input_shape;
  images.insert(images.begin(), item.batch);
  StepRunner runner(graph_layers(item.model, 0), images, {.optimizer = item.expression}, 2);
  runner.copy_from(model);
  const std::int64_t size = graph::element_count(named.input_shape);
  for (int step = 0; step < kSteps; ++step) {
    INFO("step " << step);
    const nn::Tensor x =
        random_tensor(item.batch, size, 100 + static_cast<std::uint64_t>(step % 4));
    std::vector<std::int32_t> labels;
    for (std::int64_t i = 0; i < item.batch; ++i) {
      labels.push_back(static_cast<std::int32_t>((7 * i + step % 4) % 10));
    }
    const double expected = model.train_batch(x, labels).loss;
    const double found = runner.run(x.values, labels, item.learning_rate);
    CHECK(found == Approx(expected).epsilon(kLossTolerance).margin(kLossTolerance));
  }
}

TEST_CASE("a whole step as one graph has the losses of the layers", "[graph]") {
  check_equal_losses({"mnist-mlp", 32, nn::Adam{.learning_rate = 1e-3f}, graph::Adam{}, 1e-3f});
  check_equal_losses({"mnist-mlp", 33, nn::Sgd{.learning_rate = 0.05f, .momentum = 0.9f},
                      graph::Sgd{.momentum = 0.9}, 0.05f});
  check_equal_losses({"mnist-cnn", 16, nn::Adam{.learning_rate = 1e-3f}, graph::Adam{}, 1e-3f});
}

TEST_CASE("a step with batch normalisation has the losses of the layers", "[graph]") {
  check_equal_losses({"cifar10-cnn", 8, nn::Sgd{.learning_rate = 0.02f, .momentum = 0.9f},
                      graph::Sgd{.momentum = 0.9}, 0.02f});
}

TEST_CASE("a step does not depend on the number of threads", "[graph]") {
  const nn::Tensor x = random_tensor(24, 28 * 28, 5);
  const std::vector<std::int32_t> labels(24, 3);
  std::vector<float> losses;
  for (const int threads : {1, 2, 3}) {
    StepRunner runner(graph_layers("fashion-cnn", 0.4), {24, 28, 28, 1},
                      {.optimizer = graph::Adam{}}, threads);
    runner.run(x.values, labels, 1e-2f);
    losses.push_back(runner.run(x.values, labels, 1e-2f));
  }
  CHECK(losses[0] == losses[1]);
  CHECK(losses[0] == losses[2]);
}

TEST_CASE("the text of a step reads back", "[graph]") {
  const StepRunner runner(graph_layers("cifar10-cnn", 0.4), {4, 32, 32, 3},
                          {.optimizer = graph::Adam{}, .clip = 1}, 1);
  const std::string text = graph::print(runner.step_graph());
  CHECK(graph::print(*graph::read(text)) == text);
}

TEST_CASE("dropout draws other values in each step", "[graph]") {
  StepRunner runner({graph::Flatten{}, graph::Dropout{.rate = 0.5}, graph::Dense{.units = 3}},
                    {4, 8, 8, 1}, {}, 1);
  const nn::Tensor x = random_tensor(4, 64, 5);
  const std::vector<std::int32_t> labels = {0, 1, 2, 0};
  const auto weights = runner.values("dense.weight");
  runner.run(x.values, labels, 1.0f);
  const std::vector<float> first(weights.begin(), weights.end());
  runner.run(x.values, labels, 1.0f);
  CHECK(!std::ranges::equal(first, weights));
}

}  // namespace
}  // namespace systole::tests
