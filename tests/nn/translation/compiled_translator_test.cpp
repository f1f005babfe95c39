// Translator trained in whole steps on a device.
#include <catch2/catch.hpp>

#include "tests/lowering/interpreted_device.h"
#include "tests/nn/translation/small_translator.h"

namespace systole::tests {
namespace {

constexpr std::int64_t kWords = 9, kUnits = 5;

struct Trained {
  nn::History history;
  std::vector<std::vector<float>> weights;
  nn::WordScore score;
  std::int64_t infeed_bytes = 0;
};
Trained train(const Device& device, std::int64_t steps_per_execution, std::int64_t units = kUnits) {
  // 11 pairs in batches of 4: the last of each epoch has three rows, and one of padding.
  const auto pairs = small_pairs(11, 3, kWords);
  nn::Translator translator = small_translator(device, kWords, units, 1, steps_per_execution);
  Trained trained;
  trained.history = translator.fit(pairs, {.epochs = 2, .batch_size = 4}, pairs);
  trained.infeed_bytes = translator.infeed_bytes();
  for (const nn::Parameter* parameter : translator.parameters()) {
    trained.weights.push_back(parameter->value);
  }
  trained.score = translator.evaluate(pairs, {.batch_size = 4});
  return trained;
}

}  // namespace

TEST_CASE("a translator's compiled steps leave the same bits for any number of them an execution",
          "[compiled_translator]") {
  const Trained one = train(open_interpreted_device(4), 1);
  CHECK(one.history.losses.size() == 6);
  CHECK(one.infeed_bytes > 0);
  for (const std::int64_t steps : {2, 100}) {
    CAPTURE(steps);
    const Trained some = train(open_interpreted_device(4), steps);
    CHECK(some.history.losses == one.history.losses);
    CHECK(some.weights == one.weights);
    CHECK(some.score.loss == one.score.loss);
    CHECK(some.infeed_bytes == one.infeed_bytes);
  }
}

TEST_CASE("a hundred compiled steps of a translator are one doorbell, in bf16 and int8",
          "[compiled_translator]") {
  const auto pairs = small_pairs(200, 4, kWords);
  for (const DataType precision : {DataType::kBf16, DataType::kInt8}) {
    CAPTURE(to_string(precision));
    const Device device = open_interpreted_device(4);
    nn::Translator translator = small_translator(device, kWords, kUnits, 1, 100, precision);
    const auto history = translator.fit(pairs, {.batch_size = 2});
    CHECK(history.losses.size() == 100);
    CHECK(device.counters().programs == 1);
  }
}

// Widths that fill words of lanes and that do not, and rows that are reduced in parts.
TEST_CASE("a translator's compiled steps train as the same steps in fp32 on cpu",
          "[compiled_translator]") {
  for (const auto& [lanes, units] : {std::pair{4, 5}, {4, 8}, {16, 16}, {4, 37}}) {
    CAPTURE(lanes, units);
    const Trained device = train(open_interpreted_device(lanes), 3, units),
                  cpu = train(Device::open("cpu"), 3, units);
    CHECK(cpu.infeed_bytes == 0);
    for (std::size_t i = 0; i < device.history.losses.size(); ++i) {
      CAPTURE(i);
      CHECK(device.history.losses[i] == Approx(cpu.history.losses[i]).epsilon(0.01));
    }
    CHECK(device.history.losses.back() < device.history.losses.front());
    CHECK(device.score.loss == Approx(cpu.score.loss).epsilon(0.01));
    CHECK(device.score.words == cpu.score.words);
  }
}

TEST_CASE("a translator refuses launches and precisions that its device does not have",
          "[compiled_translator]") {
  nn::TranslatorOptions options{.source_words = kWords,
                                .target_words = kWords,
                                .embedding_size = 4,
                                .units = 4,
                                .device = open_interpreted_device(4),
                                .precision = DataType::kBf16,
                                .steps_per_execution = 0};
  CHECK_THROWS_WITH(nn::Translator(options), Catch::Contains("steps_per_execution is 0, not >= 1"));
  options.steps_per_execution = 1;
  options.device = Device::open("cpu");
  CHECK_THROWS_WITH(nn::Translator(options), Catch::Contains("fp32, not bf16"));
}

}  // namespace systole::tests
