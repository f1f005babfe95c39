#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "systole/support/split_mix.h"

namespace systole::nn {

/// SplitMix64 and draws from it: the same numbers with every compiler and library, unlike the
/// standard distributions.
class Generator {
 public:
  /// Streams of one seed are independent for all practical purposes: one per layer, one per epoch.
  explicit Generator(std::uint64_t seed, std::uint64_t stream = 0)
      : state_(split_mix(seed) ^ split_mix(stream + kSplitMixStep)) {}

  std::uint64_t next() { return split_mix(state_ += kSplitMixStep); }

  /// 0 <= value < 1, in steps of 2^-24: every value is exact in fp32.
  float uniform() { return static_cast<float>(next() >> 40) * 0x1p-24f; }

  /// low <= value <= high (rounding may reach high).
  float uniform(float low, float high) { return low + (high - low) * uniform(); }

  /// 0 <= value < bound, unbiased to 2^-64 * bound.
  std::uint64_t below(std::uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<Wide>(next()) * bound >> 64);
  }

  /// Fisher-Yates.
  template <typename T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace systole::nn
