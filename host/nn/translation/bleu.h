#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace systole::nn {

/// How close translations are to human ones, over a whole corpus.
struct Bleu {
  double score = 0;                    ///< 0..100
  std::array<double, 4> precisions{};  ///< 0..1: the share of n-grams found in the reference
  double brevity_penalty = 0;          ///< 0..1: below 1 if the translations are shorter in total
};

/// BLEU-4 = 100 * penalty * (p1 p2 p3 p4)^(1/4), with one reference for each translation.
///
/// Shapes   word numbers without [START] and [END]; translations[i] is judged by references[i]
/// Numbers  an n-gram counts at most as often as it occurs in its reference. p2 to p4 are smoothed
///          by adding 1 to both counts, p1 is not; no match at all gives 0. penalty = min(1, exp(1
///          - reference words / translated words)).
/// Errors   std::invalid_argument for no translations, or another number of references
/// Source   Papineni et al., ACL 2002; the smoothing is Lin and Och's, COLING 2004
Bleu bleu(std::span<const std::vector<std::int32_t>> translations,
          std::span<const std::vector<std::int32_t>> references);

}  // namespace systole::nn
