#include "host/nn/translation/translation_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "host/nn/translation/token_batches.h"
#include "tests/nn/translation/small_translator.h"

namespace systole::tests {
namespace {

// Three translations of every English sentence; one is also a translation of another sentence.
std::vector<SentencePair> pairs_of(int sentences) {
  std::vector<SentencePair> pairs;
  for (int i = 0; i < sentences; ++i) {
    for (const char* form : {"uno", "otro"}) {
      pairs.push_back({fmt::format("say {}.", i), fmt::format("di {} {}.", form, i)});
    }
    pairs.push_back({fmt::format("Say {} .", i), fmt::format("di {} {}.", "otro", i)});  // again
    pairs.push_back({fmt::format("tell {}.", i), fmt::format("di {} {}.", "otro", i)});
  }
  pairs.push_back({"this sentence has far too many words to be among the short ones", "larga"});
  return pairs;
}

}  // namespace

TEST_CASE("no sentence is in both training and test set", "[translation_data]") {
  const auto data =
      nn::make_translation_data(pairs_of(40), {.sentences = 60, .held_out = 10, .max_words = 4});
  CHECK(data.train.size() == 60);
  CHECK(data.held_out.size() == 10);
  std::set<std::string> sources, targets;
  for (const nn::TokenPair& pair : data.train) {
    sources.insert(data.source.decode(pair.source));
    targets.insert(data.target.decode(pair.target));
  }
  std::set<std::pair<std::string, std::string>> both;
  for (const nn::TokenPair& pair : data.train) {
    both.emplace(data.source.decode(pair.source), data.target.decode(pair.target));
  }
  CHECK(both.size() == 60);  // no duplicates
  for (const nn::TokenPair& pair : data.held_out) {
    // Held-out words unknown in training are [UNK], so this compares known words.
    const std::string source = data.source.decode(pair.source);
    const std::string target = data.target.decode(pair.target);
    if (source.find("[UNK]") == std::string::npos) CHECK_FALSE(sources.contains(source));
    if (target.find("[UNK]") == std::string::npos) CHECK_FALSE(targets.contains(target));
  }
}

TEST_CASE("the choice of sentences follows the seed alone", "[translation_data]") {
  const auto pairs = pairs_of(40);
  const auto chosen = [&](std::uint64_t seed) {
    const auto data =
        nn::make_translation_data(pairs, {.sentences = 30, .held_out = 5, .seed = seed});
    std::vector<std::string> sentences;
    for (const nn::TokenPair& pair : data.train) {
      sentences.push_back(data.source.decode(pair.source));
    }
    return sentences;
  };
  CHECK(chosen(1) == chosen(1));
  CHECK(chosen(1) != chosen(2));
}

TEST_CASE("asking for too many sentences is refused with how many exist", "[translation_data]") {
  CHECK_THROWS_WITH(nn::make_translation_data(pairs_of(2), {.sentences = 7, .held_out = 1}),
                    Catch::Contains("at most 8 words there are 6 and 0"));
  CHECK_THROWS_WITH(nn::make_translation_data(pairs_of(2), {.sentences = 0}),
                    Catch::Contains("sentences is 0"));
  CHECK_THROWS_WITH(nn::make_translation_data(pairs_of(2), {.held_out = -1}),
                    Catch::Contains("held_out is -1"));
  CHECK_THROWS_WITH(nn::make_translation_data(pairs_of(2), {.max_words = 0}),
                    Catch::Contains("max_words is 0"));
}

TEST_CASE("a batch is time-major and padded to its longest sentence", "[token_batches]") {
  const std::vector<nn::TokenPair> pairs{{.source = {2, 4, 3}, .target = {2, 5, 6, 3}},
                                         {.source = {2, 4, 7, 3}, .target = {2, 3}}};
  const nn::TokenBatch batch = one_batch(pairs);
  CHECK(batch.rows == 2);
  CHECK(batch.source_steps == 4);
  CHECK(batch.target_steps == 3);
  CHECK(batch.source == std::vector<std::int32_t>{2, 2, 4, 4, 3, 7, 0, 3});
  CHECK(batch.input == std::vector<std::int32_t>{2, 2, 5, 0, 6, 0});
  CHECK(batch.label == std::vector<std::int32_t>{5, 3, 6, 0, 3, 0});
  CHECK_THROWS_WITH(nn::pad_batch({}), Catch::Contains("at least one"));
}

TEST_CASE("batches go through all pairs once, in an order of seed and epoch", "[token_batches]") {
  const auto pairs = small_pairs(50, 6, 30);
  nn::TokenBatches batches(pairs, 8);
  REQUIRE(batches.count() == 7);
  const auto epoch = [&](std::uint64_t seed, std::int64_t number) {
    batches.shuffle(seed, number);
    std::vector<std::vector<std::int32_t>> sources;
    std::int64_t rows = 0;
    for (std::int64_t i = 0; i < batches.count(); ++i) {
      const nn::TokenBatch batch = batches.take(i);
      rows += batch.rows;
      for (std::int64_t r = 0; r < batch.rows; ++r) {
        std::vector<std::int32_t> source;
        for (std::int64_t t = 0; t < batch.source_steps; ++t) {
          const auto word = batch.source[t * batch.rows + r];
          if (word != Vocabulary::kPadding) source.push_back(word);
        }
        sources.push_back(source);
      }
    }
    CHECK(rows == 50);
    CHECK(std::set(sources.begin(), sources.end()).size() == 50);
    return sources;
  };
  const auto first = epoch(1, 1);
  CHECK(epoch(1, 2) != first);
  CHECK(epoch(2, 1) != first);
  CHECK(epoch(1, 1) == first);
}

TEST_CASE("batches group sentences of about equal length, so that little is padded",
          "[token_batches]") {
  const auto pairs = small_pairs(640, 12, 30);
  nn::TokenBatches batches(pairs, 16);
  batches.shuffle(1, 1);
  std::int64_t filled = 0, all = 0;
  for (std::int64_t i = 0; i < batches.count(); ++i) {
    const nn::TokenBatch batch = batches.take(i);
    filled += std::ranges::count(batch.label, Vocabulary::kPadding);
    all += std::ssize(batch.label);
  }
  CHECK(static_cast<double>(filled) / static_cast<double>(all) < 0.1);
}

}  // namespace systole::tests
