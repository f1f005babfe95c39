#pragma once

#include "systole/hls/float.h"

namespace systole::kernels {

using namespace systole::hls;

/// Stages of the conversions, where they stand alone.
inline constexpr int kFp32ToBf16Stages = 1;
inline constexpr int kInt32ToFp32Stages = 2;

/// `value` as bf16, of this magnitude where it is neither zero nor NaN.
constexpr Bf16 with_magnitude(const Fp32& value, const UInt<15>& magnitude) {
  const UInt16 number = concat(value.sign(), value.is_zero() ? UInt<15>(0) : magnitude);
  return Bf16::from_bits(value.is_nan() ? UInt16(0x7fc0) : number);
}

/// fp32 to bf16, to nearest, ties to even.
///
/// Timing   pure; Pipeline<&fp32_to_bf16, kFp32ToBf16Stages>, II = 1
/// Numbers  subnormals become zeros of the same sign; past 0x7f7f lies infinity; NaN is 0x7fc0
/// Source   docs/numerics.md section 4
constexpr Bf16 fp32_to_bf16(const Fp32& value) {
  const UInt1 half = slice<15, 15>(value.bits());
  const bool is_odd = bit<16>(value.bits());
  const UInt1 up = half & as_bit(!(slice<14, 0>(value.bits()) == 0) || is_odd);
  // A carry out of the fraction leaves it zero and raises the exponent.
  return with_magnitude(value, truncate<UInt<15>>(slice<30, 16>(value.bits()) + up));
}

/// fp32 to bf16, up with the probability that the value lies above its lower neighbour: over all
/// 2^16 values of `random`, the average is exact as long as nothing overflows.
///
/// Limits   `random` is uniform, a new draw for each value; see random_step
/// Timing   pure; Pipeline<&fp32_to_bf16_stochastic, kFp32ToBf16Stages>, II = 1
/// Numbers  the magnitude goes up when the 16 bits that go plus `random` reach 2^16; the rest as in
///          fp32_to_bf16
/// Source   docs/numerics.md section 4; Gupta et al., Deep Learning with Limited Numerical
///          Precision, ICML 2015
constexpr Bf16 fp32_to_bf16_stochastic(const Fp32& value, const UInt16& random) {
  const auto sum = truncate<UInt<31>>(slice<30, 0>(value.bits()) + random);
  return with_magnitude(value, slice<30, 16>(sum));
}

/// fp32_to_bf16_stochastic, or fp32_to_bf16, which it is with one of two numbers: one sum for both.
constexpr Bf16 round_to_bf16(const Fp32& value, const UInt16& random, bool is_stochastic) {
  const UInt16 to_nearest = bit<16>(value.bits()) ? UInt16(0x8000) : UInt16(0x7fff);
  return fp32_to_bf16_stochastic(value, is_stochastic ? random : to_nearest);
}

/// The next state of the random generator: a 32-bit linear feedback register shifted 16 times, so
/// that its low half holds sixteen new bits, the `random` of one value.
///
/// Limits   the seed is not 0, which is its own successor
/// Timing   pure, two levels of logic; a register of the kernel that uses it
/// Numbers  x^32 + x^31 + x^30 + x^10 + 1 is primitive, and 16 has no factor in common with
///          2^32 - 1: every state but 0 comes once in 2^32 - 1 steps
/// Source   docs/numerics.md section 4; the reciprocal of the polynomial for 32 bits in Xilinx
///          XAPP052
constexpr UInt32 random_step(const UInt32& state) {
  // Sixteen steps at once: step i feeds in bits 31 - i, 30 - i, 29 - i and 9 - i, and from step 10
  // on the last of these is what step i - 10 fed in.
  const auto upper = slice<31, 16>(state) ^ slice<30, 15>(state) ^ slice<29, 14>(state);
  const auto first_six = slice<15, 10>(upper) ^ slice<9, 4>(state);
  const auto fed_in = upper ^ concat(slice<9, 0>(state), first_six);
  return concat(slice<15, 0>(state), fed_in);
}

/// bf16 to fp32: sixteen zeros below; exact, subnormals and NaNs included.
///
/// Timing   pure; wires
constexpr Fp32 bf16_to_fp32(const Bf16& value) {
  return Fp32::from_bits(concat(value.bits(), UInt16(0)));
}

/// An int32 as its sign and its magnitude, moved up until its leading one is bit 31.
struct NormalInteger {
  UInt1 sign;
  UInt<5> leading_zeros;
  UInt32 magnitude;
};

constexpr NormalInteger normalize(const Int32& value) {
  const UInt1 sign = slice<31, 31>(value);
  const UInt32 flipped = bit<31>(value) ? ~as_unsigned(value) : as_unsigned(value);
  const UInt32 magnitude = truncate<UInt32>(flipped + sign);

  // Five steps of a binary search.
  const UInt1 none16 = as_bit(slice<31, 16>(magnitude) == 0);
  const UInt32 left16 = none16 ? magnitude << UInt<5>(16) : magnitude;
  const UInt1 none8 = as_bit(slice<31, 24>(left16) == 0);
  const UInt32 left8 = none8 ? left16 << UInt<5>(8) : left16;
  const UInt1 none4 = as_bit(slice<31, 28>(left8) == 0);
  const UInt32 left4 = none4 ? left8 << UInt<5>(4) : left8;
  const UInt1 none2 = as_bit(slice<31, 30>(left4) == 0);
  const UInt32 left2 = none2 ? left4 << UInt<5>(2) : left4;
  const UInt1 none1 = as_bit(slice<31, 31>(left2) == 0);
  return {.sign = sign,
          .leading_zeros = concat(none16, concat(none8, none4), concat(none2, none1)),
          .magnitude = none1 ? left2 << UInt<5>(1) : left2};
}

/// The fp32 nearest to a normalized int32.
constexpr Fp32 round_normal(const NormalInteger& value) {
  // A carry out of the fraction leaves it zero and raises the exponent.
  const UInt32& normal = value.magnitude;
  const bool is_zero = !bit<31>(normal);
  const UInt8 exponent = truncate<UInt8>(UInt8(158) - UInt8(value.leading_zeros));
  const UInt1 round_up =
      slice<7, 7>(normal) & as_bit(!(slice<6, 0>(normal) == 0) || bit<8>(normal));
  const UInt<31> rounded = truncate<UInt<31>>(concat(exponent, slice<30, 8>(normal)) + round_up);
  return Fp32::from_bits(concat(value.sign, is_zero ? UInt<31>(0) : rounded));
}

/// int32 to fp32, to nearest, ties to even.
///
/// Timing   pure; Pipeline<&int32_to_fp32, kInt32ToFp32Stages>, II = 1
/// Numbers  exact below 2^24; every result is a normal number or +0
/// Source   docs/numerics.md section 4
constexpr Fp32 int32_to_fp32(const Int32& value) { return round_normal(normalize(value)); }

}  // namespace systole::kernels
