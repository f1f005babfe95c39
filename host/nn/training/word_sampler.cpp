#include "host/nn/training/word_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "host/data/word_list.h"
#include "host/nn/numbers/generator.h"

namespace systole::nn {
namespace {

// A letter, or 0 for the end of a word, which has at least one letter.
std::int32_t draw(std::span<const float> logits, double temperature, bool may_end,
                  Generator& generator) {
  const float largest = *std::ranges::max_element(logits);
  std::vector<double> sums;
  double sum = 0;
  for (std::size_t letter = 0; letter < logits.size(); ++letter) {
    if (letter > 0 || may_end) sum += std::exp((logits[letter] - largest) / temperature);
    sums.push_back(sum);
  }
  const double place = generator.uniform(0.0f, 1.0f) * sum;
  const auto found = std::ranges::upper_bound(sums, place);
  return static_cast<std::int32_t>(std::min(found - sums.begin(), std::ssize(sums) - 1));
}

}  // namespace

std::vector<std::string> sample_words(Sequential& model, std::int64_t context,
                                      const WordSampling& how) {
  if (how.count < 1) throw std::invalid_argument(fmt::format("{} words: not >= 1", how.count));
  if (!(how.temperature > 0) || !std::isfinite(how.temperature)) {
    throw std::invalid_argument(fmt::format("temperature {} is not > 0", how.temperature));
  }
  std::vector<std::string> words(static_cast<std::size_t>(how.count));
  std::vector<bool> has_ended(words.size());
  Generator generator(how.seed, 0);
  Tensor letters;
  letters.resize(how.count, context);
  for (std::int64_t place = 0; place + 1 < context; ++place) {
    const Tensor logits = model.predict(letters);
    for (std::int64_t word = 0; word < how.count; ++word) {
      const auto i = static_cast<std::size_t>(word);
      const std::int32_t next =
          draw(logits.row(word).subspan(static_cast<std::size_t>(place * kLetters), kLetters),
               how.temperature, place > 0, generator);
      has_ended[i] = has_ended[i] || next == 0;
      if (has_ended[i]) continue;
      words[i] += letter_of(next);
      letters.row(word)[static_cast<std::size_t>(place + 1)] = static_cast<float>(next);
    }
    if (std::ranges::count(has_ended, false) == 0) break;
  }
  return words;
}

}  // namespace systole::nn
