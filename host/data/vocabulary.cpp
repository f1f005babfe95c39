#include "host/data/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace systole {
namespace {

const Words kNotWords{"", "[UNK]", "[START]", "[END]"};

}  // namespace

Vocabulary::Vocabulary(std::span<const Words> sentences, std::int64_t size) : words_(kNotWords) {
  if (size <= this->size()) {
    throw std::invalid_argument(
        fmt::format("a vocabulary of {} has no room for words: {} are needed for padding, [UNK], "
                    "[START] and [END]",
                    size, this->size()));
  }
  std::unordered_map<std::string, std::int64_t> counts;
  for (const Words& sentence : sentences) {
    for (const std::string& word : sentence) ++counts[word];
  }
  std::vector<std::pair<std::string, std::int64_t>> ranked(counts.begin(), counts.end());
  std::ranges::sort(ranked, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  for (auto& [word, count] : ranked) {
    if (this->size() == size) break;
    numbers_[word] = static_cast<std::int32_t>(words_.size());
    words_.push_back(std::move(word));
  }
}

Vocabulary::Vocabulary(Words words) : words_(std::move(words)) {
  if (words_.size() <= kNotWords.size() ||
      !std::equal(kNotWords.begin(), kNotWords.end(), words_.begin())) {
    throw std::invalid_argument("a vocabulary begins with padding, [UNK], [START] and [END]");
  }
  for (std::size_t i = kNotWords.size(); i < words_.size(); ++i) {
    if (words_[i].empty() || !numbers_.emplace(words_[i], static_cast<std::int32_t>(i)).second) {
      throw std::invalid_argument(
          fmt::format("word {} of a vocabulary, '{}', is empty or there twice", i, words_[i]));
    }
  }
}

std::vector<std::int32_t> Vocabulary::encode(const Words& sentence) const {
  std::vector<std::int32_t> numbers{kStart};
  for (const std::string& word : sentence) {
    const auto found = numbers_.find(word);
    numbers.push_back(found == numbers_.end() ? kUnknown : found->second);
  }
  numbers.push_back(kEnd);
  return numbers;
}

std::string Vocabulary::decode(std::span<const std::int32_t> numbers) const {
  std::string sentence;
  for (const std::int32_t number : numbers) {
    if (number == kEnd) break;
    if (number == kPadding || number == kStart) continue;
    if (!sentence.empty()) sentence += ' ';
    sentence += words_.at(static_cast<std::size_t>(number));
  }
  return sentence;
}

}  // namespace systole
