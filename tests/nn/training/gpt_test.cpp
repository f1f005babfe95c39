// A small GPT trained in compiled steps.
#include <catch2/catch.hpp>
#include <cmath>

#include "host/compiler/units/lowered_graph.h"
#include "host/nn/layers/dense.h"
#include "host/nn/training/models.h"
#include "host/nn/training/replica.h"
#include "host/nn/training/sequential.h"
#include "host/nn/training/step_runner.h"
#include "tests/lowering/interpreted_device.h"
#include "tests/support/random.h"

namespace systole::tests {
namespace {

constexpr nn::Gpt kSmall{.words = 7, .context = 6, .units = 8, .heads = 2, .blocks = 1};

// Each number follows from the two before it, most of the time.
Dataset some_text(std::int64_t samples) {
  Random random(0x5eed'6e7a);
  Dataset data{.name = "some",
               .sample_shape = {kSmall.context},
               .inputs = {},
               .labels = {},
               .classes = kSmall.words,
               .labels_per_sample = kSmall.context};
  for (std::int64_t i = 0; i < samples; ++i) {
    std::int64_t before = 0, number = random.below(kSmall.words);
    for (std::int64_t t = 0; t < kSmall.context; ++t) {
      data.inputs.push_back(static_cast<float>(number));
      const bool follows = random.below(8) != 0;
      const std::int64_t next =
          follows ? (number + before + 1) % kSmall.words : random.below(kSmall.words);
      before = number;
      number = next;
      data.labels.push_back(static_cast<std::int32_t>(number));
    }
  }
  return data;
}

struct Trained {
  std::vector<double> losses;
  nn::Score score;
};
Trained train(const Device& device, std::optional<DataType> precision = {}) {
  const Dataset data = some_text(64);
  nn::Sequential model(nn::gpt_layers(kSmall));
  model.compile({.optimizer = nn::adam_w(0.01f),
                 .schedule = nn::parse_schedule("cosine:100:0.1:4"),
                 .clip_norm = 1.0f,
                 .device = device,
                 .precision = precision,
                 .steps_per_execution = 4});
  Trained trained;
  trained.losses = model.fit(data, {.epochs = 5, .batch_size = 8}).losses;
  trained.score = model.evaluate(data, {.batch_size = 8});
  return trained;
}

}  // namespace

TEST_CASE("compiled steps of a GPT train as the same steps in fp32 on cpu", "[gpt]") {
  // Of a network this small, bf16 changes a batch's loss by percents after some thirty steps.
  constexpr std::size_t kSteps = 16;
  constexpr double kStepTolerance = 0.01, kScoreTolerance = 0.03;
  const Trained cpu = train(Device::open("cpu"));
  CHECK(cpu.losses.back() < 0.92 * cpu.losses.front());
  for (const int size : {4, 16}) {
    const Trained device = train(open_interpreted_device(size));
    CAPTURE(size);
    for (std::size_t i = 0; i < kSteps; ++i) {
      CAPTURE(i);
      CHECK(device.losses[i] == Approx(cpu.losses[i]).epsilon(kStepTolerance));
    }
    CHECK(device.score.loss == Approx(cpu.score.loss).margin(kScoreTolerance));
  }
}

TEST_CASE("a GPT overfits 16 texts", "[gpt]") {
  Dataset data = some_text(16);
  Random random(0x5eed'6e7c);
  for (std::int32_t& label : data.labels) {
    label = static_cast<std::int32_t>(random.below(kSmall.words));
  }
  nn::Sequential model(nn::gpt_layers(
      {.words = kSmall.words, .context = kSmall.context, .units = 32, .heads = 4, .blocks = 2}));
  model.compile({.optimizer = nn::Adam{.learning_rate = 0.003f}, .device = Device::open("cpu")});
  model.fit(data, {.epochs = 200, .batch_size = 16});
  // A first number that several texts share cannot say which label follows.
  CHECK(model.evaluate(data).accuracy > 0.8);
}

TEST_CASE("a GPT's dense products are in int8, and it learns", "[gpt]") {
  const Trained device = train(open_interpreted_device(4), DataType::kInt8);
  CHECK(device.losses.back() < 0.92 * device.losses.front());
}

TEST_CASE("a step of a GPT takes its batch and its scalars from the host, and no more", "[gpt]") {
  nn::Replica replica(std::make_shared<const std::vector<nn::Layer>>(nn::gpt_layers(kSmall)));
  replica.build({kSmall.context}, 1);
  const nn::TrainingGraph step =
      replica.training_graph(3, nn::SoftmaxCrossEntropy{}, nn::adam_w(0.01f), 1.0f);
  const lowering::LoweredGraph lowered =
      lowering::lower_graph(*step.graph, {.array_size = 4}, nn::states_of(step));
  CHECK(lowered.drawn.empty());
  CHECK(lowered.batch.size() == 2);
}

// On wide arrays the sums that a normalisation's scale is updated by share a kernel with sums that
// its input's gradient needs, which reads the old scale.
TEST_CASE("updates are apart where the old values are needed after a kernel they would share",
          "[gpt]") {
  nn::Replica replica(std::make_shared<const std::vector<nn::Layer>>(
      nn::gpt_layers({.words = 27, .context = 32, .units = 64, .heads = 4, .blocks = 1})));
  replica.build({32}, 1);
  const nn::TrainingGraph step =
      replica.training_graph(64, nn::SoftmaxCrossEntropy{}, nn::adam_w(0.01f), {});
  for (const int size : {16, 128}) {
    CAPTURE(size);
    CHECK_NOTHROW(lowering::lower_graph(*step.graph, {.array_size = size}, nn::states_of(step)));
  }
}

TEST_CASE("data with other labels than a model's outputs take are refused", "[gpt]") {
  nn::Sequential model{nn::Dense{.units = 3}};
  model.compile({.device = Device::open("cpu")});
  CHECK_THROWS_WITH(model.fit(some_text(8)),
                    Catch::Contains("6 labels for a sample") && Catch::Contains("of 3 take 1"));
}

}  // namespace systole::tests
