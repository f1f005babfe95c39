#pragma once

#include "systole/hls/float.h"

namespace systole::kernels {

using namespace systole::hls;

/// Stages of the two, where they stand alone.
inline constexpr int kRequantizeStages = 3;
inline constexpr int kQuantizeStages = 3;

/// The int8 farthest from zero with this sign.
constexpr UInt8 int8_limit(const UInt1& sign) { return sign ? UInt8(128) : UInt8(127); }

/// An exact product divided by 2^shift, rounded and clamped: what requantize does after its
/// multiplier.
constexpr Int8 requantize_round(const Int<49>& scaled, const UInt<5>& shift) {
  // The lowest eight bits move, and the half below them; those above are only looked at: copies of
  // the sign, if the floor is an int8.
  const UInt1 sign = slice<48, 48>(scaled);
  const auto halves = truncate<UInt<9>>(concat(slice<38, 0>(scaled), UInt1(0)) >> shift);
  const UInt8 floor = slice<8, 1>(halves);
  const UInt<42> above = slice<48, 7>(scaled) ^ (sign ? ~UInt<42>(0) : UInt<42>(0));
  const bool fits = (above & (~UInt<42>(0) << shift)) == 0;
  const UInt8 nearest = fits ? floor : int8_limit(sign);
  const bool up = bit<0>(halves) && fits && !(floor == 127);
  return as_signed(truncate<UInt8>(nearest + as_bit(up)));
}

/// Scales an int32 sum back to int8: clamp(round_half_up(sum * scale / 2^shift), -128, 127).
///
/// Shapes   one element
/// Limits   scale 0 .. 65535, shift 0 .. 31; no sum overflows
/// Timing   pure; Pipeline<&requantize, kRequantizeStages>, II = 1
/// Numbers  the product needs 48 bits and is kept in 49; rounded once, halves upward
/// Source   docs/numerics.md section 4; Jacob et al., Quantization and Training of Neural Networks
///          for Efficient Integer-Arithmetic-Only Inference, CVPR 2018, section 2.2
constexpr Int8 requantize(const Int32& sum, const UInt16& scale, const UInt<5>& shift) {
  return requantize_round(sum * Int<17>(scale), shift);
}

/// What a product of an fp32 and a bf16 is besides its significand.
struct ProductRange {
  UInt<9> exponent;  ///< |value * scale| = significands * 2^(exponent - 284)
  UInt1 sign;
  UInt1 is_zero;  ///< or NaN, whose int8 is 0, too
  UInt1 is_special;
};

constexpr ProductRange product_range(const Fp32& value, const Bf16& scale) {
  return {.exponent = value.exponent() + scale.exponent(),
          .sign = value.sign() ^ scale.sign(),
          .is_zero = as_bit(value.is_zero() || scale.is_zero() || value.is_nan() || scale.is_nan()),
          .is_special = as_bit(value.is_special() || scale.is_special())};
}

/// With its leading one, whatever the exponent is.
template <typename Number>
constexpr auto significand(const Number& number) {
  return concat(UInt1(1), number.fraction());
}

/// The product of two significands, at least 2^30 and below 2^32, rounded and clamped: what
/// quantize does after its multiplier.
constexpr Int8 quantize_round(const UInt32& product, const ProductRange& range) {
  const UInt<9>& exponent = range.exponent;
  const UInt1& sign = range.sign;
  const bool is_large = exponent > 261;  // 256 or more
  const bool is_small = exponent < 252;  // below a half

  // Between, the product moves 23 to 32 places right; here its top ten bits move one place less, so
  // that the half is the lowest of them. What lies below decides a negative half.
  const UInt<4> right = truncate<UInt<4>>(UInt<9>(261) - exponent);
  const UInt<10> halves = slice<31, 22>(product) >> right;
  const UInt<9> below = slice<30, 22>(product) & ~(~UInt<9>(0) << right);
  const bool rest = !(slice<21, 0>(product) == 0) || !(below == 0);
  const UInt1 up = slice<0, 0>(halves) & as_bit(rest || !sign);
  const UInt<10> whole = slice<9, 1>(halves) + up;

  const UInt8 limit = int8_limit(sign);
  const bool saturates = range.is_special || is_large || (!is_small && whole > limit);
  const UInt8 magnitude = slice<7, 0>(whole);
  const UInt8 negated = truncate<UInt8>(~magnitude + UInt1(1));
  const UInt8 number = sign ? negated : magnitude;
  const UInt8 result = saturates ? limit : number;
  return as_signed(range.is_zero || (is_small && !saturates) ? UInt8(0) : result);
}

/// Scales an fp32 to int8: clamp(round_half_up(value * scale), -128, 127).
///
/// Shapes   one element
/// Timing   pure; Pipeline<&quantize, kQuantizeStages>, II = 1
/// Numbers  the product is exact and rounded once, halves upward; subnormals are zeros; NaN, also
///          that of infinity times zero, gives 0; an infinite product saturates by its sign
/// Source   docs/numerics.md section 4
constexpr Int8 quantize(const Fp32& value, const Bf16& scale) {
  return quantize_round(significand(value) * significand(scale), product_range(value, scale));
}

}  // namespace systole::kernels
