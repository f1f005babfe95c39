#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/nn/translation/translation_data.h"

namespace systole::nn {

/// Sentence pairs side by side, padded to one length with Vocabulary::kPadding.
///
/// Shapes   time-major: source [source_steps, rows]; input and label [target_steps, rows], where a
///          label is the input's next word
struct TokenBatch {
  std::int64_t rows = 0, source_steps = 0, target_steps = 0;
  std::vector<std::int32_t> source = {}, input = {}, label = {};
};

/// Labels that are not padding.
///
/// Errors   std::invalid_argument if there are none
std::int64_t count_words(const TokenBatch& batch);

/// Rows that a batch has at least on a device, whose kernels reduce over the first dimension or the
/// last; the others are padding.
inline constexpr std::int64_t kLeastRows = 2;

/// Sizes of a batch.
struct BatchShape {
  std::int64_t rows = 0, source_steps = 0, target_steps = 0;
};

/// A shape that any batch of up to `batch_size` of these pairs fits into: kLeastRows rows or more.
BatchShape widest_batch(std::span<const TokenPair> pairs, std::int64_t batch_size);

/// Pads each side to its longest sentence, and all to `least` where that is more, with rows of
/// padding alone.
///
/// Errors   std::invalid_argument for no pairs, an empty source, or a target of less than two words
TokenBatch pad_batch(std::span<const TokenPair* const> pairs, const BatchShape& least = {});

/// Source sentences alone, for translation, padded likewise: input and label stay empty.
TokenBatch pad_sources(std::span<const std::vector<std::int32_t>> sources,
                       const BatchShape& least = {});

/// Sentence pairs cut into batches of about equal length, to keep padding short.
///
/// Limits   batch_size >= 1; the pairs must outlive it
/// Numbers  shuffle permutes the pairs, sorts every 32 batches' worth by length, cuts them into
///          batches and permutes those. Before the first shuffle the pairs keep their order
class TokenBatches {
 public:
  TokenBatches(std::span<const TokenPair> pairs, std::int64_t batch_size);

  std::int64_t count() const;

  /// Epoch e's order depends on the seed and e alone.
  void shuffle(std::uint64_t seed, std::int64_t epoch);

  /// Batch `index`, 0..count()-1.
  TokenBatch take(std::int64_t index, const BatchShape& least = {}) const;

 private:
  std::int64_t batch_size_;
  std::vector<const TokenPair*> pairs_;
  std::vector<std::int64_t> order_;
};

}  // namespace systole::nn
