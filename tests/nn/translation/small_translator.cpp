#include "tests/nn/translation/small_translator.h"

#include <bit>
#include <set>

namespace systole::tests {

std::vector<nn::TokenPair> small_pairs(std::int64_t count, std::int64_t longest, std::int64_t words,
                                       std::uint64_t seed) {
  std::vector<nn::TokenPair> pairs;
  std::set<std::vector<std::int32_t>> seen;
  nn::Generator generator(seed);
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int32_t>(generator.below(static_cast<std::uint64_t>(bound)));
  };
  constexpr std::int32_t kFirstWord = Vocabulary::kEnd + 1;
  while (std::ssize(pairs) < count) {
    const std::int64_t length = 1 + below(longest);
    nn::TokenPair pair;
    for (std::int64_t i = 0; i < length; ++i) {
      const std::int32_t word = below(words - kFirstWord);
      pair.source.push_back(kFirstWord + word);
      pair.target.insert(pair.target.begin(),
                         kFirstWord + static_cast<std::int32_t>((word + 1) % (words - kFirstWord)));
    }
    for (auto* side : {&pair.source, &pair.target}) {
      side->insert(side->begin(), Vocabulary::kStart);
      side->push_back(Vocabulary::kEnd);
    }
    if (seen.insert(pair.source).second) pairs.push_back(pair);
  }
  return pairs;
}

nn::Translator small_translator(const Device& device, std::int64_t words, std::int64_t units,
                                std::uint64_t seed, std::int64_t steps_per_execution,
                                std::optional<DataType> precision) {
  return nn::Translator({.source_words = words,
                         .target_words = words,
                         .embedding_size = units + 1,  // unequal, so that mixing them up shows
                         .units = units,
                         .optimizer = {.learning_rate = 0.01f},
                         .device = device,
                         .precision = precision,
                         .steps_per_execution = steps_per_execution,
                         .seed = seed});
}

nn::TokenBatch one_batch(const std::vector<nn::TokenPair>& pairs, std::int64_t least_steps) {
  std::vector<const nn::TokenPair*> pointers;
  for (const nn::TokenPair& pair : pairs) pointers.push_back(&pair);
  return nn::pad_batch(pointers, {.source_steps = least_steps, .target_steps = least_steps});
}

std::vector<std::uint32_t> gradient_bits(nn::Translator& translator) {
  std::vector<std::uint32_t> bits;
  for (const nn::Parameter* parameter : translator.parameters()) {
    for (const float value : parameter->gradient) {
      bits.push_back(std::bit_cast<std::uint32_t>(value));
    }
  }
  return bits;
}

}  // namespace systole::tests
