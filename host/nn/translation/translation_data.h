#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/data/parallel_text.h"
#include "host/data/vocabulary.h"

namespace systole::nn {

/// Two sentences as word numbers, each from [START] to [END].
struct TokenPair {
  std::vector<std::int32_t> source, target;
};

/// How many pairs to train on and how many to hold out.
struct TranslationOptions {
  std::int64_t sentences = 20'000;  ///< training pairs
  std::int64_t held_out = 1'000;    ///< test pairs
  std::int64_t max_words = 8;       ///< per sentence on either side; marks count as words
  std::int64_t vocabulary = 4'000;  ///< of each language's Vocabulary
  std::uint64_t seed = 1;           ///< of the choice
};

/// Spanish sentences and their English translations.
///
/// Limits   no sentence of held_out, English or Spanish, is in train: all translations of a
///          sentence go to one part; pairs for which that is impossible are left out
/// Errors   std::invalid_argument for an option below 1, or too few pairs, saying how many exist
/// Numbers  pairs with equal words count once; the choice depends on the seed and the pairs alone
struct TranslationData {
  Vocabulary source, target;  ///< of train alone
  std::vector<TokenPair> train, held_out;
};
TranslationData make_translation_data(std::span<const SentencePair> pairs,
                                      const TranslationOptions& options);

}  // namespace systole::nn
