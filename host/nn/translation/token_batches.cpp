#include "host/nn/translation/token_batches.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "host/nn/numbers/generator.h"

namespace systole::nn {
namespace {

constexpr std::int64_t kBatchesSortedTogether = 32;

// Writes sentence `row` of a time-major block of `rows` sentences.
void place(std::span<const std::int32_t> sentence, std::int64_t row, std::int64_t rows,
           std::vector<std::int32_t>& block) {
  for (std::size_t t = 0; t < sentence.size(); ++t) {
    block[t * static_cast<std::size_t>(rows) + static_cast<std::size_t>(row)] = sentence[t];
  }
}

std::vector<std::int32_t> padding(std::int64_t steps, std::int64_t rows) {
  return std::vector<std::int32_t>(static_cast<std::size_t>(steps * rows), Vocabulary::kPadding);
}

}  // namespace

std::int64_t count_words(const TokenBatch& batch) {
  const auto words =
      std::ssize(batch.label) - std::ranges::count(batch.label, Vocabulary::kPadding);
  if (words == 0) throw std::invalid_argument("the labels of a batch are all padding");
  return words;
}

BatchShape widest_batch(std::span<const TokenPair> pairs, std::int64_t batch_size) {
  BatchShape shape{.rows = std::max(kLeastRows, std::min(batch_size, std::ssize(pairs)))};
  for (const TokenPair& pair : pairs) {
    shape.source_steps = std::max(shape.source_steps, std::ssize(pair.source));
    shape.target_steps = std::max(shape.target_steps, std::ssize(pair.target) - 1);
  }
  return shape;
}

TokenBatch pad_batch(std::span<const TokenPair* const> pairs, const BatchShape& least) {
  if (pairs.empty()) throw std::invalid_argument("a batch needs at least one sentence pair");
  TokenBatch batch{.rows = std::max(std::ssize(pairs), least.rows),
                   .source_steps = least.source_steps,
                   .target_steps = least.target_steps};
  for (const TokenPair* pair : pairs) {
    if (pair->source.empty() || pair->target.size() < 2) {
      throw std::invalid_argument(
          "a sentence pair needs at least one source word and two target words");
    }
    batch.source_steps = std::max(batch.source_steps, std::ssize(pair->source));
    batch.target_steps = std::max(batch.target_steps, std::ssize(pair->target) - 1);
  }
  batch.source = padding(batch.source_steps, batch.rows);
  batch.input = batch.label = padding(batch.target_steps, batch.rows);
  for (std::int64_t r = 0; r < std::ssize(pairs); ++r) {
    const TokenPair& pair = *pairs[r];
    const std::span<const std::int32_t> target(pair.target);
    place(pair.source, r, batch.rows, batch.source);
    place(target.first(target.size() - 1), r, batch.rows, batch.input);
    place(target.subspan(1), r, batch.rows, batch.label);
  }
  return batch;
}

TokenBatch pad_sources(std::span<const std::vector<std::int32_t>> sources,
                       const BatchShape& least) {
  TokenBatch batch{.rows = std::max(std::ssize(sources), least.rows),
                   .source_steps = least.source_steps};
  for (const auto& source : sources) {
    if (source.empty()) throw std::invalid_argument("an empty sentence cannot be translated");
    batch.source_steps = std::max(batch.source_steps, std::ssize(source));
  }
  batch.source = padding(batch.source_steps, batch.rows);
  for (std::int64_t r = 0; r < std::ssize(sources); ++r) {
    place(sources[r], r, batch.rows, batch.source);
  }
  return batch;
}

TokenBatches::TokenBatches(std::span<const TokenPair> pairs, std::int64_t batch_size)
    : batch_size_(batch_size) {
  for (const TokenPair& pair : pairs) pairs_.push_back(&pair);
  order_.resize(count());
  std::iota(order_.begin(), order_.end(), std::int64_t{0});
}

std::int64_t TokenBatches::count() const {
  return (std::ssize(pairs_) + batch_size_ - 1) / batch_size_;
}

void TokenBatches::shuffle(std::uint64_t seed, std::int64_t epoch) {
  // Starts from the given order each time, so earlier shuffles do not matter.
  std::ranges::sort(pairs_);
  Generator generator(seed, static_cast<std::uint64_t>(epoch));
  generator.shuffle(std::span(pairs_));
  const std::int64_t pool = kBatchesSortedTogether * batch_size_;
  for (std::int64_t first = 0; first < std::ssize(pairs_); first += pool) {
    const auto begin = pairs_.begin() + first;
    // Stable: pairs of equal length are already in random order.
    std::sort(begin, begin + std::min(pool, std::ssize(pairs_) - first),
              [](const TokenPair* a, const TokenPair* b) {
                return std::tuple(a->target.size(), a->source.size(), a) <
                       std::tuple(b->target.size(), b->source.size(), b);
              });
  }
  std::iota(order_.begin(), order_.end(), std::int64_t{0});
  generator.shuffle(std::span(order_));
}

TokenBatch TokenBatches::take(std::int64_t index, const BatchShape& least) const {
  const std::int64_t first = order_[index] * batch_size_;
  const std::int64_t rows = std::min(batch_size_, std::ssize(pairs_) - first);
  return pad_batch(std::span(pairs_).subspan(first, static_cast<std::size_t>(rows)), least);
}

}  // namespace systole::nn
