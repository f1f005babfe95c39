#include "host/nn/translation/translator_checkpoint.h"

#include <catch2/catch.hpp>

#include "host/nn/callbacks/model_checkpoint.h"
#include "host/nn/training/checkpoint.h"
#include "tests/nn/translation/small_translator.h"
#include "tests/support/run_program.h"

namespace systole::tests {
namespace {

// Sentences "w4 w5" and the like, for the numbers of small_pairs.
Vocabulary numbered_words(std::int64_t size) {
  Words words{"", "[UNK]", "[START]", "[END]"};
  while (std::ssize(words) < size) words.push_back("w" + std::to_string(words.size()));
  return Vocabulary(words);
}

constexpr std::int64_t kWords = 12;

struct Run {
  TemporaryFolder folder;
  Vocabulary words = numbered_words(kWords);
  std::vector<nn::TokenPair> pairs = small_pairs(30, 4, kWords);
  nn::TranslatorOptions options{.source_words = kWords,
                                .target_words = kWords,
                                .embedding_size = 7,
                                .units = 8,
                                .optimizer = {.learning_rate = 0.02f},
                                .device = Device::open("cpu")};
  nn::TranslatorRecord record{words, words, options};

  std::string path() const { return folder.file("nmt.safetensors"); }
};

// Ends a training in the middle of an epoch.
struct StopAt : nn::Callback {
  std::int64_t step;
  explicit StopAt(std::int64_t step_to_stop_at) : step(step_to_stop_at) {}
  void on_step_end(nn::FitState& state) override {
    if (state.steps_done() == step) state.stop("enough");
  }
};

}  // namespace

TEST_CASE("a resumed translator has the losses of an uninterrupted one",
          "[translator_checkpoint]") {
  Run run;
  nn::Translator whole(run.options);
  const auto expected = whole.fit(run.pairs, {.epochs = 3, .batch_size = 8}).losses;
  REQUIRE(expected.size() == 12);

  StopAt stop(6);
  nn::ModelCheckpoint saver({.path = run.path()});
  nn::Translator first(run.options);
  first.fit(run.pairs, {.epochs = 3, .batch_size = 8, .callbacks = {&stop, &run.record, &saver}});
  nn::Translator second(run.options);
  const nn::Checkpoint checkpoint = nn::Checkpoint::load(run.path());
  const auto resumed = second.fit(
      run.pairs, {.epochs = 3, .batch_size = 8, .callbacks = {&run.record}, .resume = &checkpoint});
  CHECK(resumed.losses == expected);
  CHECK(second.parameters().back()->value == whole.parameters().back()->value);
}

TEST_CASE("translating needs only a checkpoint", "[translator_checkpoint]") {
  Run run;
  nn::ModelCheckpoint saver({.path = run.path()});
  nn::Translator translator(run.options);
  translator.fit(run.pairs, {.epochs = 20, .batch_size = 8, .callbacks = {&run.record, &saver}});
  nn::TrainedTranslator trained = nn::load_translator(run.path(), Device::open("cpu"));
  CHECK(trained.source.words() == run.words.words());
  for (std::size_t i = 0; i < 5; ++i) {
    const auto translation = translator.translate({&run.pairs[i].source, 1}, 20);
    CHECK(trained.translate(run.words.decode(run.pairs[i].source)) ==
          run.words.decode(translation.front()));
  }
  CHECK_THROWS_WITH(trained.translate("  -- "), Catch::Contains("no words"));
}

TEST_CASE("a checkpoint with other vocabularies or of another model is refused",
          "[translator_checkpoint]") {
  Run run;
  nn::ModelCheckpoint saver({.path = run.path()});
  nn::Translator translator(run.options);
  translator.fit(run.pairs, {.batch_size = 8, .callbacks = {&run.record, &saver}});
  const nn::Checkpoint checkpoint = nn::Checkpoint::load(run.path());
  Words others = run.words.words();
  others.back() = "other";
  const Vocabulary other_words(others);
  nn::TranslatorRecord other(run.words, other_words, run.options);
  nn::Translator second(run.options);
  CHECK_THROWS_WITH(
      second.fit(run.pairs,
                 {.epochs = 2, .batch_size = 8, .callbacks = {&other}, .resume = &checkpoint}),
      Catch::Contains("its vocabularies are not those of this run"));

  const std::string weights = run.folder.file("mlp.safetensors");
  nn::Checkpoint foreign;
  const std::vector<float> values{1, 2};
  foreign.set("0.dense.weight", {2}, values);
  foreign.save(weights);
  CHECK_THROWS_WITH(nn::load_translator(weights, Device::open("cpu")),
                    Catch::Contains("mlp.safetensors") && Catch::Contains("another model"));
}

TEST_CASE("a vocabulary refuses strings that are not single words", "[vocabulary]") {
  const Words right = numbered_words(6).words();
  const auto refused = [&](std::size_t index, const std::string& word) {
    Words words = right;
    words[index] = word;
    CHECK_THROWS_AS(Vocabulary(words), std::invalid_argument);
  };
  refused(0, "w");
  refused(3, "w");
  refused(4, "");
  refused(4, "w5");
  CHECK_THROWS_AS(Vocabulary(Words{"", "[UNK]", "[START]", "[END]"}), std::invalid_argument);
  CHECK(Vocabulary(right).encode({"w5", "w9"}) == std::vector<std::int32_t>{2, 5, 1, 3});
}

}  // namespace systole::tests
