#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/data/words.h"

namespace systole {

/// Numbers the most frequent words of some sentences; the first four numbers are special tokens.
///
/// Limits   size >= 5, so that it has at least one word
/// Numbers  equally frequent words in the order of their bytes, so that it does not depend on the
///          sentences' order
/// Errors   std::invalid_argument for a smaller size
class Vocabulary {
 public:
  static constexpr std::int32_t kPadding = 0;  ///< pads a batch's shorter sentences
  static constexpr std::int32_t kUnknown = 1;  ///< stands for every word without a number
  static constexpr std::int32_t kStart = 2, kEnd = 3;

  /// At most `size` numbers, the first four included.
  Vocabulary(std::span<const Words> sentences, std::int64_t size);

  /// Restores a vocabulary from its words().
  ///
  /// Errors   std::invalid_argument unless its words after the special tokens are distinct
  explicit Vocabulary(Words words);

  std::int64_t size() const { return static_cast<std::int64_t>(words_.size()); }
  const Words& words() const { return words_; }  ///< by number

  /// kStart, the words' numbers, kEnd.
  std::vector<std::int32_t> encode(const Words& sentence) const;

  /// The words up to the first kEnd, joined by spaces, without padding and kStart.
  std::string decode(std::span<const std::int32_t> numbers) const;

 private:
  Words words_;
  std::unordered_map<std::string, std::int32_t> numbers_;
};

}  // namespace systole
