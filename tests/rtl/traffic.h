#pragma once

#include "systole/hls/int.h"
#include "tests/support/random.h"

namespace systole::tests {

/// A valid flag as real traffic has it: idle for a while, back to back for a while, alternating, or
/// anything between, each for a random number of clocks.
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

/// An activation or weight: mostly a bf16 of ordinary size, so that sums of several products stay
/// numbers and every rounding can show; often one of a few, so that sums cancel; now and then zero,
/// an infinity, a NaN, the smallest or any bits. As int8 it is any byte.
inline hls::UInt16 ordinary_operand(Random& random) {
  constexpr std::uint16_t kSpecial[] = {0x7f80, 0xff80, 0x7fc0, 0x7f81, 0x0001, 0x0080, 0x7f7f};
  const std::uint16_t sign = random.bits16() & 0x8000u;
  const std::uint32_t kind = random.below(200);
  if (kind == 0) return hls::UInt16::from(random.bits16());
  if (kind < 6) return hls::UInt16::from(sign);
  if (kind < 8) return hls::UInt16::from(kSpecial[random.below(std::size(kSpecial))]);
  if (kind < 60) return hls::UInt16::from(sign | (random.between(125, 128) << 7));
  const auto exponent = static_cast<unsigned>(random.between(117, 137));
  return hls::UInt16::from((random.bits16() & 0x807fu) | (exponent << 7));
}
/// The same as fp32, in part with bits that a bf16 has not; as int32 it is any word of ordinary
/// size.
inline hls::UInt32 ordinary_sum(Random& random) {
  const std::uint32_t low = random.below(3) == 0 ? 0 : random.bits16();
  return hls::UInt32::from((ordinary_operand(random).value() << 16) | low);
}

}  // namespace systole::tests
