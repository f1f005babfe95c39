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

/// Which of the pairs to learn from, and which to be judged by.
struct TranslationOptions {
  std::int64_t sentences = 20'000;  ///< pairs to learn from
  std::int64_t held_out = 1'000;    ///< pairs to be judged by
  std::int64_t max_words = 8;       ///< longest sentence, on either side, marks counted as words
  std::int64_t vocabulary = 4'000;  ///< numbers for each language, see Vocabulary
  std::uint64_t seed = 1;           ///< of the choice
};

/// Spanish sentences to be translated into English.
///
/// Limits   no English and no Spanish sentence of held_out is in train: all translations of a
///          sentence lie on the same side, and what cannot be parted so is left out
/// Errors   std::invalid_argument for an option below 1, or text with fewer pairs than asked for,
///          saying how many there are
/// Numbers  pairs that are equal as words count once; the choice depends on the seed and the pairs
///          alone
struct TranslationData {
  Vocabulary source, target;  ///< of train alone
  std::vector<TokenPair> train, held_out;
};
TranslationData make_translation_data(std::span<const SentencePair> pairs,
                                      const TranslationOptions& options);

}  // namespace systole::nn
