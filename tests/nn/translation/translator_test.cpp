#include "host/nn/translation/translator.h"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>

#include "host/nn/translation/bleu.h"
#include "tests/nn/layers/gradient_check.h"
#include "tests/nn/translation/small_translator.h"

namespace systole::tests {
namespace {

constexpr std::int64_t kWords = 11;
constexpr std::int64_t kUnits = 5;

std::vector<std::uint32_t> weight_bits(nn::Translator& translator) {
  std::vector<std::uint32_t> bits;
  for (const nn::Parameter* parameter : translator.parameters()) {
    for (const float value : parameter->value) bits.push_back(std::bit_cast<std::uint32_t>(value));
  }
  return bits;
}

// Larger than initial weights, so that gates leave their middle and attention is uneven.
void spread_weights(nn::Translator& translator) {
  nn::Generator generator(9);
  for (nn::Parameter* parameter : translator.parameters()) {
    for (float& value : parameter->value) value = generator.uniform(-0.9f, 0.9f);
    ++parameter->version;
  }
}

bool has_device(std::string_view name) {
  for (const DeviceInfo& info : Device::list()) {
    if (info.name == name) return true;
  }
  WARN("skipped: this build has no " << name);
  return false;
}

}  // namespace

TEST_CASE("every gradient of the translator agrees with finite differences", "[translator]") {
  const auto pairs = small_pairs(GENERATE(2, 3), 3, kWords);
  nn::Translator translator = small_translator(Device::open("cpu"), kWords, kUnits);
  spread_weights(translator);
  translator.compute_gradients(one_batch(pairs));
  // Only the loss, so that the gradients remain those of the unchanged weights.
  check_gradients(translator.parameters(), [&] { return translator.evaluate(pairs).loss; });
}

TEST_CASE("padding changes neither the loss nor any gradient, to the bit", "[translator]") {
  // On a bit-exact device sums have a fixed order, and trailing zeros change nothing.
  if (!has_device("model")) return;
  const Device device = Device::open("model", {.array_size = 4});
  const auto pairs = small_pairs(5, 4, kWords);
  nn::Translator translator = small_translator(device, kWords, kUnits);
  spread_weights(translator);
  const double tight_loss = translator.compute_gradients(one_batch(pairs)).loss;
  const auto tight = gradient_bits(translator);
  const double loose_loss = translator.compute_gradients(one_batch(pairs, 9)).loss;
  CHECK(loose_loss == tight_loss);
  CHECK(gradient_bits(translator) == tight);
  CHECK(std::ranges::any_of(tight, [](std::uint32_t bits) { return bits << 1 != 0; }));
}

TEST_CASE("the embedding row of the padding token does not matter", "[translator]") {
  nn::Translator translator = small_translator(Device::open("cpu"), kWords, kUnits);
  spread_weights(translator);
  const nn::TokenBatch batch = one_batch(small_pairs(5, 4, kWords));
  const double loss = translator.compute_gradients(batch).loss;
  const auto gradients = gradient_bits(translator);
  for (nn::Parameter* parameter : translator.parameters()) {
    if (!parameter->name.ends_with("embedding/table")) continue;
    std::fill_n(parameter->value.begin(), parameter->shape[1], 1e3f);
    ++parameter->version;
  }
  CHECK(translator.compute_gradients(batch).loss == loss);
  CHECK(gradient_bits(translator) == gradients);
}

TEST_CASE("a translator overfits 32 sentence pairs", "[translator]") {
  const std::string device = GENERATE("cpu", "model");
  if (!has_device(device)) return;
  const auto pairs = small_pairs(32, 5, 20);
  nn::Translator translator = small_translator(Device::open(device, {.array_size = 16}), 20, 32);
  const nn::History history = translator.fit(pairs, {.epochs = 90, .batch_size = 16});
  CAPTURE(device, history.epochs.front().loss, history.epochs.back().loss);
  CHECK(history.epochs.front().loss > 2);
  const nn::WordScore score = translator.evaluate(pairs);
  CHECK(score.loss < 0.1);
  CHECK(score.accuracy == 1.0);

  std::vector<std::vector<std::int32_t>> sources, references;
  for (const nn::TokenPair& pair : pairs) {
    sources.push_back(pair.source);
    references.emplace_back(pair.target.begin() + 1, pair.target.end() - 1);
  }
  const auto translations = translator.translate(sources, 8, 10);
  CHECK(translations == references);
  CHECK(nn::bleu(translations, references).score == Approx(100));
}

TEST_CASE("a translation stops at the word limit", "[translator]") {
  nn::Translator translator = small_translator(Device::open("cpu"), kWords, kUnits);
  for (nn::Parameter* parameter : translator.parameters()) {
    if (parameter->name != "decoder/output/bias") continue;
    parameter->value[Vocabulary::kPadding] = parameter->value[Vocabulary::kStart] = 200;
    parameter->value[Vocabulary::kUnknown] = 200;
    parameter->value[7] = 100;  // the likeliest allowed word
  }
  const auto translations =
      translator.translate(std::vector<std::vector<std::int32_t>>{{2, 5, 3}, {2, 3}}, 3);
  CHECK(translations == std::vector<std::vector<std::int32_t>>{{7, 7, 7}, {7, 7, 7}});
}

TEST_CASE("a translation does not depend on the rest of its batch", "[translator]") {
  if (!has_device("model")) return;
  nn::Translator translator =
      small_translator(Device::open("model", {.array_size = 4}), kWords, kUnits);
  spread_weights(translator);
  std::vector<std::vector<std::int32_t>> sources;
  for (const nn::TokenPair& pair : small_pairs(6, 5, kWords)) sources.push_back(pair.source);
  const auto together = translator.translate(sources, 6);
  CHECK(translator.translate(sources, 6, 1) == together);
  CHECK(translator.translate(sources, 6, 4) == together);
}

TEST_CASE("a translator gives the same bits on every bit-exact device", "[translator]") {
  if (!has_device("model") || !has_device("rtl")) return;
  const auto pairs = small_pairs(6, 3, kWords);
  std::vector<double> losses;
  std::vector<std::vector<std::uint32_t>> weights;
  std::vector<std::uint64_t> cycles;
  for (const char* name : {"model", "rtl"}) {
    const Device device = Device::open(name, {.array_size = 4});
    nn::Translator translator = small_translator(device, kWords, kUnits);
    const auto history = translator.fit(pairs, {.epochs = 1, .batch_size = 4});
    losses.insert(losses.end(), history.losses.begin(), history.losses.end());
    weights.push_back(weight_bits(translator));
    cycles.push_back(device.counters().cycles());
  }
  REQUIRE(losses.size() == 4);
  CHECK(losses[0] == losses[2]);
  CHECK(losses[1] == losses[3]);
  CHECK(weights[0] == weights[1]);
  CHECK(cycles[0] == cycles[1]);
}

TEST_CASE("a translator learns in int8", "[translator]") {
  if (!has_device("model")) return;
  nn::Translator translator({.source_words = 20,
                             .target_words = 20,
                             .embedding_size = 32,
                             .units = 32,
                             .optimizer = {.learning_rate = 0.01f},
                             .device = Device::open("model", {.array_size = 16}),
                             .precision = DataType::kInt8});
  const auto losses =
      translator.fit(small_pairs(32, 5, 20), {.epochs = 60, .batch_size = 16}).losses;
  CHECK(losses.front() > 2);
  CHECK(losses.back() < 0.5);
}

TEST_CASE("bf16 gradients are close to those of fp32", "[translator]") {
  if (!has_device("model")) return;
  const nn::TokenBatch batch = one_batch(small_pairs(8, 4, kWords));
  std::vector<std::vector<float>> gradients(2);
  for (std::size_t i = 0; i < 2; ++i) {
    nn::Translator translator =
        small_translator(Device::open(i == 0 ? "cpu" : "model"), kWords, kUnits);
    translator.compute_gradients(batch);
    for (const nn::Parameter* parameter : translator.parameters()) {
      gradients[i].insert(gradients[i].end(), parameter->gradient.begin(),
                          parameter->gradient.end());
    }
  }
  double error = 0, norm = 0;
  for (std::size_t k = 0; k < gradients[0].size(); ++k) {
    error += std::pow(gradients[1][k] - gradients[0][k], 2);
    norm += std::pow(gradients[0][k], 2);
  }
  constexpr double kBf16GradientTolerance = 0.02;  // a few roundings of 2^-9 in a row
  CHECK(std::sqrt(error / norm) < kBf16GradientTolerance);
  CHECK(error > 0);
}

TEST_CASE("the seed decides the weights and the order of the pairs", "[translator]") {
  const auto pairs = small_pairs(20, 4, kWords);
  const auto losses = [&](std::uint64_t weights_seed, std::uint64_t order_seed) {
    nn::Translator translator = small_translator(Device::open("cpu"), kWords, kUnits, weights_seed);
    return translator.fit(pairs, {.epochs = 2, .batch_size = 4, .seed = order_seed}).losses;
  };
  const auto first = losses(1, 1);
  CHECK(first.size() == 10);
  CHECK(losses(1, 1) == first);
  CHECK(losses(2, 1) != first);
  CHECK(losses(1, 2) != first);
}

TEST_CASE("a translator refuses invalid words, sizes and options", "[translator]") {
  const Device cpu = Device::open("cpu");
  nn::Translator translator = small_translator(cpu, kWords, kUnits);
  const std::vector<nn::TokenPair> foreign{{.source = {2, 11, 3}, .target = {2, 4, 3}}};
  CHECK_THROWS_WITH(translator.evaluate(foreign),
                    Catch::Contains("word 11 is outside the source vocabulary of 11"));
  CHECK_THROWS_WITH(translator.fit(foreign), Catch::Contains("word 11"));
  CHECK_THROWS_WITH(translator.fit({}), Catch::Contains("no sentence pairs"));
  CHECK_THROWS_WITH(translator.evaluate({}), Catch::Contains("no sentence pairs"));
  const auto pairs = small_pairs(4, 2, kWords);
  CHECK_THROWS_WITH(translator.fit(pairs, {.epochs = 0}), Catch::Contains("epochs is 0"));
  CHECK_THROWS_WITH(translator.fit(pairs, {.batch_size = 2, .steps_per_epoch = 3}),
                    Catch::Contains("an epoch has 2 batches of 2"));
  CHECK_THROWS_WITH(translator.translate(std::vector<std::vector<std::int32_t>>{{}}, 4),
                    Catch::Contains("empty sentence"));
  CHECK_THROWS_WITH(translator.translate(std::vector<std::vector<std::int32_t>>{{2, 3}}, 0),
                    Catch::Contains("most_words 0"));
  CHECK_THROWS_WITH(nn::Translator({.source_words = 0, .target_words = 5, .device = cpu}),
                    Catch::Contains("0 x 256"));
  CHECK_THROWS_WITH(
      nn::Translator({.source_words = 5, .target_words = 5, .clip_norm = 0, .device = cpu}),
      Catch::Contains("clip_norm 0"));
}

TEST_CASE("a translator stops when its loss is not a number", "[translator]") {
  nn::Translator translator = small_translator(Device::open("cpu"), kWords, kUnits);
  translator.parameters()[0]->value.assign(translator.parameters()[0]->value.size(), NAN);
  CHECK_THROWS_AS(translator.fit(small_pairs(4, 2, kWords)), nn::TrainingError);
}

}  // namespace systole::tests
