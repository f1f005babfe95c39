#include "host/data/word_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "host/data/file_bytes.h"

namespace systole {
namespace {

constexpr std::size_t kHeldOut = 10;  ///< one word in ten is kept for the test

// Fisher and Yates' shuffle by the standard's generator, which is the same everywhere; its
// distributions are not.
void shuffle(std::vector<std::string>& words) {
  std::mt19937_64 generator(0x776f7264);
  for (std::size_t i = words.size(); i > 1; --i) std::swap(words[i - 1], words[generator() % i]);
}

Dataset samples_of(std::span<const std::string> words, std::int64_t context) {
  std::vector<std::int32_t> text = {0};
  for (const std::string& word : words) {
    for (const char letter : word) text.push_back(letter_number(letter));
    text.push_back(0);
  }
  Dataset data{.name = "words",
               .sample_shape = {context},
               .inputs = {},
               .labels = {},
               .classes = kLetters,
               .labels_per_sample = context};
  const std::int64_t samples = (std::ssize(text) - 1) / context;
  if (samples < 1) {
    throw DataError(fmt::format("words: {} of them do not fill a sample of {} characters",
                                words.size(), context));
  }
  data.inputs.assign(text.begin(), text.begin() + samples * context);
  data.labels.assign(text.begin() + 1, text.begin() + 1 + samples * context);
  return data;
}

}  // namespace

std::int32_t letter_number(char letter) {
  return letter >= 'a' && letter <= 'z' ? letter - 'a' + 1 : 0;
}

char letter_of(std::int32_t number) { return static_cast<char>('a' + number - 1); }

std::vector<std::string> read_word_list(const std::filesystem::path& path) {
  const auto bytes = read_file(path);
  std::vector<std::string> words;
  std::string word;
  const auto end = [&] {
    if (!word.empty() && std::ranges::all_of(word, letter_number)) words.push_back(word);
    word.clear();
  };
  for (const auto byte : bytes) {
    const char letter = static_cast<char>(byte);
    if (letter == '\n') {
      end();
    } else {
      word += letter;
    }
  }
  end();
  if (words.empty()) {
    throw DataError(fmt::format("{}: no line is a word of the letters a to z", path.string()));
  }
  return words;
}

SplitDataset word_samples(std::vector<std::string> words, std::int64_t context) {
  shuffle(words);
  const auto held_out = static_cast<std::ptrdiff_t>(words.size() / kHeldOut);
  const std::span all(words);
  return {.train = samples_of(all.subspan(static_cast<std::size_t>(held_out)), context),
          .test = samples_of(all.first(static_cast<std::size_t>(held_out)), context)};
}

}  // namespace systole
