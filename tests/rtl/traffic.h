#pragma once

#include "systole/hls/int.h"
#include "tests/support/random.h"

namespace systole::tests {

/// A valid flag like that of real traffic: idle, back to back, alternating or in between, each for
/// a random number of clocks.
class Traffic {
 public:
  hls::UInt1 next(Random& random) {
    if (clocks_left_ == 0) choose(random);
    --clocks_left_;
    last_ = alternating_ ? !last_ : random.below(kFull) < density_;
    return hls::as_bit(last_);
  }

 private:
  static constexpr std::uint32_t kFull = 16;
  static constexpr std::uint32_t kDensities[] = {0, 1, 4, 8, 12, 15, kFull};
  static constexpr int kLongestPhase = 120;

  void choose(Random& random) {
    clocks_left_ = random.between(1, kLongestPhase);
    alternating_ = random.below(8) == 0;
    density_ = kDensities[random.below(std::size(kDensities))];
  }

  int clocks_left_ = 0;
  bool alternating_ = false;
  bool last_ = false;
  std::uint32_t density_ = 0;
};

/// A bit that is 1 one time in `count`.
inline hls::UInt1 one_in(Random& random, std::uint32_t count) {
  return hls::as_bit(random.below(count) == 0);
}

/// Mostly a column of an array of kN; weights for other numbers must leave on the right.
template <int kN, int kBits>
hls::UInt<kBits> weight_column(Random& random) {
  return hls::UInt<kBits>::from(random.below(16) ? random.below(kN) : random.bits());
}

}  // namespace systole::tests
