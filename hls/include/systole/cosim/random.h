#pragma once

#include <cstdint>

#include "../support/split_mix.h"

namespace systole::cosim {

/// SplitMix64 as a generator. Its state is one word, so a campaign can seed each block separately
/// and draw the same cases with any number of threads.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() { return split_mix(state_ += kSplitMixStep); }
  std::uint32_t bits32() { return static_cast<std::uint32_t>(bits()); }
  std::uint16_t bits16() { return static_cast<std::uint16_t>(bits()); }

  /// 0 .. count - 1; the bias is below 2^-32 for the small counts that tests use.
  std::uint32_t below(std::uint32_t count) {
    return static_cast<std::uint32_t>(((bits() >> 32) * count) >> 32);
  }
  /// low .. high, both included.
  int between(int low, int high) {
    return low + static_cast<int>(below(static_cast<std::uint32_t>(high - low + 1)));
  }

 private:
  std::uint64_t state_;
};

}  // namespace systole::cosim
