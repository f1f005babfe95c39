#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/nn/translation/translator.h"

namespace systole::tests {

/// `count` pairs of 1 to `longest` words out of `words` numbers: the target is the reversed source,
/// each number one higher. All sources differ.
std::vector<nn::TokenPair> small_pairs(std::int64_t count, std::int64_t longest, std::int64_t words,
                                       std::uint64_t seed = 1);

/// A translator for small_pairs' words.
nn::Translator small_translator(const Device& device, std::int64_t words, std::int64_t units,
                                std::uint64_t seed = 1, std::int64_t steps_per_execution = 1,
                                std::optional<DataType> precision = {});

/// All pairs in one batch, padded to least_steps.
nn::TokenBatch one_batch(const std::vector<nn::TokenPair>& pairs, std::int64_t least_steps = 0);

/// The bits of all parameters' gradients.
std::vector<std::uint32_t> gradient_bits(nn::Translator& translator);

}  // namespace systole::tests
