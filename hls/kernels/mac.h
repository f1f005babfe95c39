#pragma once

#include "hls/kernels/fp32.h"

namespace systole::kernels {

/// Stages of the multiply-add inside the array.
inline constexpr int kMacStages = 5;

/// The product of a multiply-add, and what of it is not its significand.
struct MacProduct {
  UInt1 is_int8;
  Int<18> product;
  Term term;  ///< without its magnitude
  UInt32 sum;
};

/// The first half of mac.
constexpr MacProduct mac_multiply(const UInt1& is_int8, const UInt16& activation,
                                  const UInt16& weight, const UInt32& sum) {
  const Bf16 a = Bf16::from_bits(activation);
  const Bf16 w = Bf16::from_bits(weight);

  // Significands 1.f as positive 9-bit numbers, or the int8 operands with their sign.
  const UInt<2> activation_top =
      is_int8 ? concat(slice<7, 7>(activation), slice<7, 7>(activation)) : UInt<2>(1);
  const UInt<2> weight_top =
      is_int8 ? concat(slice<7, 7>(weight), slice<7, 7>(weight)) : UInt<2>(1);
  const Int<9> multiplicand = as_signed(concat(activation_top, a.fraction()));
  const Int<9> multiplier = as_signed(concat(weight_top, w.fraction()));

  const UInt8 activation_exponent = a.exponent();
  const UInt8 weight_exponent = w.exponent();
  const bool infinite_times_zero =
      (a.is_special() && w.is_zero()) || (w.is_special() && a.is_zero());
  const Term term{.sign = a.sign() ^ w.sign(),
                  .exponent = truncate<UInt<9>>(activation_exponent + weight_exponent + UInt1(1)),
                  .magnitude = UInt<28>(0),
                  .is_zero = as_bit(a.is_zero() || w.is_zero()),
                  .is_nan = as_bit(a.is_nan() || w.is_nan() || infinite_times_zero),
                  .is_infinite = as_bit(a.is_special() || w.is_special())};
  return {.is_int8 = is_int8, .product = multiplicand * multiplier, .term = term, .sum = sum};
}

/// The second half.
constexpr UInt32 mac_add(const MacProduct& half) {
  const UInt32 total = truncate<UInt32>(half.product + as_signed(half.sum));
  // The product as a term: its leading one is at bit 15 or 14 of 16.
  Term term = half.term;
  term.magnitude = concat(slice<15, 0>(half.product), UInt<12>(0));
  return add_round(half.is_int8, term, unpack_fp32(half.sum), total);
}

/// sum + activation * weight: bf16 x bf16 + fp32, or int8 x int8 + int32 with is_int8.
///
/// Shapes   one element; an int8 operand sits in the low byte of its 16 bits
/// Timing   pure; used as Pipeline<&mac, kMacStages>, II = 1
/// Numbers  bf16: fma in fp32, one rounding to nearest even, subnormals flushed on the way in and
///          out, NaN is 0x7fc00000 (docs/numerics.md). int8: exact modulo 2^32.
/// Source   docs/numerics.md; one 9 x 9 signed multiplier serves both
constexpr UInt32 mac(const UInt1& is_int8, const UInt16& activation, const UInt16& weight,
                     const UInt32& sum) {
  return mac_add(mac_multiply(is_int8, activation, weight, sum));
}

/// Stages from which a processing element's halves are pipelines of their own: hlsc does not cut
/// the multiplier, which would be slower than every other stage, so that those would not be cut
/// further.
inline constexpr int kMacStagesApart = 8;
inline constexpr int kMacMultiplyStages = 2;  // a multiplier's operands and its product

}  // namespace systole::kernels
