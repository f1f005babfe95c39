#include "host/nn/translation/bleu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace systole::nn {
namespace {

using Sentence = std::vector<std::int32_t>;

std::map<Sentence, std::int64_t> n_grams(const Sentence& sentence, std::ptrdiff_t n) {
  std::map<Sentence, std::int64_t> counts;
  for (auto first = sentence.begin(); sentence.end() - first >= n; ++first) {
    ++counts[Sentence(first, first + n)];
  }
  return counts;
}

}  // namespace

Bleu bleu(std::span<const Sentence> translations, std::span<const Sentence> references) {
  if (translations.empty() || translations.size() != references.size()) {
    throw std::invalid_argument(fmt::format("BLEU of {} translations got {} references",
                                            translations.size(), references.size()));
  }
  std::array<std::int64_t, 4> matches{}, totals{};
  double translated_words = 0, reference_words = 0;
  for (std::size_t i = 0; i < translations.size(); ++i) {
    translated_words += static_cast<double>(translations[i].size());
    reference_words += static_cast<double>(references[i].size());
    for (std::size_t k = 0; k < 4; ++k) {
      const auto n = static_cast<std::ptrdiff_t>(k + 1);
      const auto wanted = n_grams(references[i], n);
      for (const auto& [gram, count] : n_grams(translations[i], n)) {
        totals[k] += count;
        const auto found = wanted.find(gram);
        if (found != wanted.end()) matches[k] += std::min(count, found->second);
      }
    }
  }
  Bleu result;
  if (matches[0] == 0) return result;
  double log_sum = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    const double smoothing = k == 0 ? 0 : 1;
    result.precisions[k] = (static_cast<double>(matches[k]) + smoothing) /
                           (static_cast<double>(totals[k]) + smoothing);
    log_sum += std::log(result.precisions[k]) / 4;
  }
  result.brevity_penalty = std::min(1.0, std::exp(1 - reference_words / translated_words));
  result.score = 100 * result.brevity_penalty * std::exp(log_sum);
  return result;
}

}  // namespace systole::nn
