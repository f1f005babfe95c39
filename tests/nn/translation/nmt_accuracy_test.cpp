// Trains nmt on 4,000 short sentence pairs as `systole train nmt` does, on the CPU and on the
// simulated device. Without the pairs it is skipped: scripts/fetch_data spa-eng fetches them.
#include <catch2/catch.hpp>
#include <cmath>
#include <optional>

#include "host/data/file_bytes.h"
#include "host/data/parallel_text.h"
#include "host/nn/translation/bleu.h"
#include "host/nn/translation/translation_data.h"
#include "host/nn/translation/translator.h"

namespace systole::tests {
namespace {

constexpr std::int64_t kUnits = 128;
constexpr nn::TranslationOptions kSentences{
    .sentences = 4'000, .held_out = 500, .max_words = 5, .vocabulary = 1'000};

// The loss that bf16 products may add on held-out sentences, in nats per word.
constexpr double kBf16LossTolerance = 0.1;

std::optional<nn::TranslationData> load_or_skip() {
  for (const std::optional<std::filesystem::path>& folder :
       {std::optional<std::filesystem::path>{}, {std::filesystem::path(SYSTOLE_SOURCE_DATA)}}) {
    try {
      return nn::make_translation_data(load_parallel_text(folder), kSentences);
    } catch (const DataError&) {
      continue;
    }
  }
  WARN("skipped: spa-eng is missing; run scripts/fetch_data spa-eng");
  return {};
}

struct Outcome {
  double train_loss = 0, held_out_loss = 0, bleu = 0;
};

Outcome train(const nn::TranslationData& data, const std::string& device) {
  nn::Translator translator({.source_words = data.source.size(),
                             .target_words = data.target.size(),
                             .embedding_size = kUnits,
                             .units = kUnits,
                             .optimizer = {.learning_rate = 0.004f},
                             .device = Device::open(device)});
  const auto history = translator.fit(data.train, {.epochs = 8, .batch_size = 64});
  std::vector<std::vector<std::int32_t>> sources, references;
  for (const nn::TokenPair& pair : data.held_out) {
    sources.push_back(pair.source);
    references.emplace_back(pair.target.begin() + 1, pair.target.end() - 1);
  }
  return {.train_loss = history.epochs.back().loss,
          .held_out_loss = translator.evaluate(data.held_out).loss,
          .bleu = nn::bleu(translator.translate(sources, 10), references).score};
}

}  // namespace

TEST_CASE("eight epochs of 4,000 pairs give a loss below 1.6, in bf16 as in fp32",
          "[nmt_accuracy]") {
  const auto data = load_or_skip();
  if (!data) return;
  const Outcome fp32 = train(*data, "cpu");
  CAPTURE(fp32.train_loss, fp32.held_out_loss, fp32.bleu);
  CHECK(fp32.train_loss < 1.6);
  CHECK(fp32.held_out_loss < 2.2);
  CHECK(fp32.bleu > 4);
  for (const DeviceInfo& info : Device::list()) {
    if (info.name != "model") continue;
    const Outcome bf16 = train(*data, "model");
    CAPTURE(bf16.train_loss, bf16.held_out_loss, bf16.bleu);
    CHECK(std::abs(bf16.train_loss - fp32.train_loss) < kBf16LossTolerance);
    CHECK(std::abs(bf16.held_out_loss - fp32.held_out_loss) < kBf16LossTolerance);
    CHECK(bf16.bleu > 4);
  }
}

}  // namespace systole::tests
