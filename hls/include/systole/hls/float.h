#pragma once

#include <cstdint>

#include "systole/hls/int.h"

namespace systole::hls {

/// A binary floating-point pattern: sign, exponent, fraction, highest bits first. It is a strong
/// type over its bits with readable fields, but has no arithmetic, because rounding and subnormals
/// are up to the kernel (docs/numerics.md).
///
/// Shapes   in hardware it is one vector, named like the value
/// Limits   1 + kExponentBits + kFractionBits <= 128
/// Numbers  two patterns are compared by their bits(): -0 and +0 differ, a NaN equals itself
/// Errors   `from` and `value` are for the host: hlsc refuses a kernel that calls them, because
///          they use the host's float
/// Source   the interchange formats of IEEE 754-2019, section 3.4
template <int kExponentBits, int kFractionBits>
class Float {
  static_assert(kExponentBits >= 2 && kFractionBits >= 1, "a float has an exponent and a fraction");

 public:
  static constexpr int kWidth = 1 + kExponentBits + kFractionBits;
  using Bits = UInt<kWidth>;
  using Exponent = UInt<kExponentBits>;
  using Fraction = UInt<kFractionBits>;

  constexpr Float() = default;
  static constexpr Float from_bits(const Bits& bits) {
    Float result;
    result.bits_ = bits;
    return result;
  }
  static constexpr Float from_fields(const UInt<1>& sign, const Exponent& exponent,
                                     const Fraction& fraction) {
    return from_bits(concat(sign, exponent, fraction));
  }

  constexpr Bits bits() const { return bits_; }
  constexpr UInt<1> sign() const { return slice<kWidth - 1, kWidth - 1>(bits_); }
  constexpr Exponent exponent() const { return slice<kWidth - 2, kFractionBits>(bits_); }
  constexpr Fraction fraction() const { return slice<kFractionBits - 1, 0>(bits_); }

  /// Zero, or a subnormal, which our arithmetic reads as zero.
  constexpr bool is_zero() const { return exponent() == 0; }
  /// Infinity or NaN.
  constexpr bool is_special() const { return ~exponent() == 0; }
  constexpr bool is_infinite() const { return is_special() && fraction() == 0; }
  constexpr bool is_nan() const { return is_special() && !(fraction() == 0); }

  /// The pattern of a host float with its low fraction bits cut off, and back, exactly. Uses the
  /// builtin, so that a refusal names the kernel's line instead of one in <bit>.
  static Float from(float host)
    requires(kExponentBits == 8 && kFractionBits <= 23)
  {
    return from_bits(Bits::from(__builtin_bit_cast(std::uint32_t, host) >> (32 - kWidth)));
  }
  float value() const
    requires(kExponentBits == 8 && kFractionBits <= 23)
  {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits_.value()) << (32 - kWidth));
  }

 private:
  Bits bits_;
};

/// bfloat16 and IEEE binary32.
using Bf16 = Float<8, 7>;
using Fp32 = Float<8, 23>;

template <typename T>
inline constexpr bool kIsFloat = false;
template <int kExponentBits, int kFractionBits>
inline constexpr bool kIsFloat<Float<kExponentBits, kFractionBits>> = true;

}  // namespace systole::hls
