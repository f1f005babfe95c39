#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/nn/training/sequential.h"

namespace systole::nn {

/// Words that a model of letters spells, each letter drawn from the softmax of its logits.
///
/// Limits   the model takes samples of [context] letters (host/data/word_list.h) and gives
///          [context, kLetters] logits, those of a place from the letters up to it; temperature > 0
///          divides the logits. A word has at most context - 1 letters, and at least one
/// Timing   a prediction of all words for each letter
/// Numbers  the draws depend on the seed and the logits alone
/// Errors   std::invalid_argument for a count below 1 and a temperature that is not > 0
struct WordSampling {
  std::int64_t count = 10;
  double temperature = 1;
  std::uint64_t seed = 1;
};
std::vector<std::string> sample_words(Sequential& model, std::int64_t context,
                                      const WordSampling& how = {});

}  // namespace systole::nn
