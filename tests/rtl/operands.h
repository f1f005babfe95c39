#pragma once

#include <algorithm>
#include <cstdlib>

#include "systole/hls/int.h"
#include "tests/support/arithmetic_cases.h"
#include "tests/support/random.h"

namespace systole::tests {

/// Activations, weights and sums of one kind for a while, then of another. Values inside an array
/// or an accumulator bank thus meet values of the same kind: sums cancel to zero or to their lowest
/// bits, whole rows are zero, results lie at the ends of the range, special values meet.
///
/// Shapes   a bf16 or fp32 that may also serve as int8 (its low byte) or int32
class Operands {
 public:
  /// To be called once a clock, before that clock's operands.
  void clock(Random& random) {
    if (clocks_left_-- == 0) choose(random);
  }

  hls::UInt16 operand(Random& random) {
    if (is_special(random)) return hls::UInt16::from(special(special_bf16_, random));
    return hls::UInt16::from(number(random, centre_, kNearOperand, 7) >> 16);
  }

  /// A sum of the size of such operands' products.
  hls::UInt32 sum(Random& random) {
    if (is_special(random)) return hls::UInt32::from(special(special_fp32_, random));
    return hls::UInt32::from(number(random, 2 * centre_ - kBias, 2 * kNearOperand, 23));
  }

 private:
  enum class Shape { kAny, kPowers, kFewBits };

  static constexpr int kBias = 127;
  static constexpr int kLongestPhase = 400;
  static constexpr int kNearOperand = 14;  ///< twice this exceeds the bits of a significand
  static constexpr std::uint32_t kRare = 256;
  /// Products near 1, and at the lower and the upper end of fp32's range.
  static constexpr int kCentres[] = {kBias, kBias, kBias, 66, 190};
  static constexpr std::uint32_t kZeros[] = {2, 2, 2, 128, 240};
  static constexpr std::uint32_t kSpecials[] = {0, 0, 1, 1, 40};

  void choose(Random& random) {
    clocks_left_ = random.between(0, kLongestPhase);
    centre_ = kCentres[random.below(std::size(kCentres))] + random.between(0, 1);
    zeros_ = kZeros[random.below(std::size(kZeros))];
    specials_ = kSpecials[random.below(std::size(kSpecials))];
    shape_ = static_cast<Shape>(random.below(3));
  }

  bool is_special(Random& random) const { return random.below(kRare) < specials_; }

  /// A signed zero, or a number whose exponent is `centre` or up to `below` less, reflected at 0;
  /// its fraction has `fraction_bits`, and Shape determines how many are set.
  std::uint32_t number(Random& random, int centre, int below, int fraction_bits) const {
    const std::uint32_t sign = random.bits32() & 0x8000'0000u;
    if (random.below(kRare) < zeros_) return sign;
    const bool far = shape_ == Shape::kAny || random.below(2) == 0;
    const int exponent = std::min(std::abs(centre - (far ? random.between(0, below) : 0)), 254);
    const std::uint32_t all = (std::uint32_t{1} << fraction_bits) - 1;
    std::uint32_t fraction = 0;
    if (shape_ == Shape::kAny) fraction = random.bits32() & all;
    if (shape_ == Shape::kFewBits) {
      const auto places = static_cast<std::uint32_t>(fraction_bits);
      for (std::uint32_t ones = random.below(3); ones > 0; --ones) {
        fraction |= std::uint32_t{1} << random.below(places);
      }
      if (random.below(2) == 0) fraction = ~fraction & all;
    }
    return sign | static_cast<std::uint32_t>(exponent) << 23 | fraction << (23 - fraction_bits);
  }

  /// Every other value is an infinity, so that infinities meet.
  template <typename Value>
  static Value special(const std::vector<Value>& values, Random& random) {
    constexpr int kAboveFraction = 8 * sizeof(Value) - 9;
    constexpr std::uint32_t kInfinities[] = {0xffu << kAboveFraction, 0x1ffu << kAboveFraction};
    if (random.below(2) == 0) return static_cast<Value>(kInfinities[random.below(2)]);
    return values[random.below(static_cast<std::uint32_t>(values.size()))];
  }

  std::vector<std::uint16_t> special_bf16_ = special_bf16();
  std::vector<std::uint32_t> special_fp32_ = special_fp32();
  int clocks_left_ = 0;
  int centre_ = kBias;
  std::uint32_t zeros_ = 0;
  std::uint32_t specials_ = 0;
  Shape shape_ = Shape::kAny;
};

}  // namespace systole::tests
