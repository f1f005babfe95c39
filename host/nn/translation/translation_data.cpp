#include "host/nn/translation/translation_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "host/nn/numbers/generator.h"

namespace systole::nn {
namespace {

struct WordPair {
  Words source, target;
};

void need_positive(const char* what, std::int64_t value) {
  if (value < 1) throw std::invalid_argument(fmt::format("{} is {}, not >= 1", what, value));
}

bool fits(const Words& words, std::int64_t most) {
  return !words.empty() && static_cast<std::int64_t>(words.size()) <= most;
}

// Distinct pairs that are short enough, grouped by English sentence.
std::vector<std::vector<WordPair>> by_target(std::span<const SentencePair> pairs,
                                             std::int64_t max_words) {
  std::vector<std::vector<WordPair>> groups;
  std::unordered_map<std::string, std::size_t> group_of;
  std::set<std::pair<std::string, std::string>> seen;
  for (const SentencePair& pair : pairs) {
    WordPair words{.source = split_words(pair.spanish), .target = split_words(pair.english)};
    if (!fits(words.source, max_words) || !fits(words.target, max_words)) continue;
    const std::string target = fmt::format("{}", fmt::join(words.target, " "));
    if (!seen.emplace(fmt::format("{}", fmt::join(words.source, " ")), target).second) continue;
    const auto [found, is_new] = group_of.emplace(target, groups.size());
    if (is_new) groups.emplace_back();
    groups[found->second].push_back(std::move(words));
  }
  return groups;
}

std::vector<Words> side(const std::vector<WordPair>& pairs, Words WordPair::* which) {
  std::vector<Words> sentences;
  sentences.reserve(pairs.size());
  for (const WordPair& pair : pairs) sentences.push_back(pair.*which);
  return sentences;
}

}  // namespace

TranslationData make_translation_data(std::span<const SentencePair> pairs,
                                      const TranslationOptions& options) {
  need_positive("sentences", options.sentences);
  need_positive("held_out", options.held_out);
  need_positive("max_words", options.max_words);
  auto groups = by_target(pairs, options.max_words);
  Generator generator(options.seed);
  generator.shuffle(std::span(groups));

  std::vector<WordPair> train, held_out;
  std::set<Words> trained_sources;
  const auto want = [](std::int64_t count) { return static_cast<std::size_t>(count); };
  for (const auto& group : groups) {
    const bool training = train.size() < want(options.sentences);
    for (const WordPair& pair : group) {
      if (training) {
        if (train.size() == want(options.sentences)) break;
        trained_sources.insert(pair.source);
        train.push_back(pair);
      } else if (held_out.size() < want(options.held_out) &&
                 !trained_sources.contains(pair.source)) {
        held_out.push_back(pair);
      }
    }
  }
  if (train.size() < want(options.sentences) || held_out.size() < want(options.held_out)) {
    throw std::invalid_argument(
        fmt::format("{} training and {} held-out sentences are too many: of the {} "
                    "pairs with at most {} words there are {} and {}",
                    options.sentences, options.held_out, pairs.size(), options.max_words,
                    train.size(), held_out.size()));
  }

  TranslationData data{.source = Vocabulary(side(train, &WordPair::source), options.vocabulary),
                       .target = Vocabulary(side(train, &WordPair::target), options.vocabulary),
                       .train = {},
                       .held_out = {}};
  const auto encode = [&](const std::vector<WordPair>& from, std::vector<TokenPair>& to) {
    for (const WordPair& pair : from) {
      to.push_back({data.source.encode(pair.source), data.target.encode(pair.target)});
    }
  };
  encode(train, data.train);
  encode(held_out, data.held_out);
  return data;
}

}  // namespace systole::nn
