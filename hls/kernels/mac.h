#pragma once

#include "hls/kernels/fp32.h"

namespace systole::kernels {

/// Stages of the multiply-add inside the array.
inline constexpr int kMacStages = 5;

/// sum + activation * weight: bf16 x bf16 + fp32, or int8 x int8 + int32 with is_int8.
///
/// Shapes   one element; an int8 operand sits in the low byte of its 16 bits
/// Timing   pure; used as Pipeline<&mac, kMacStages>, II = 1
/// Numbers  bf16: fma in fp32, one rounding to nearest even, subnormals flushed on the way in and
///          out, NaN is 0x7fc00000 (docs/numerics.md). int8: exact modulo 2^32.
/// Source   docs/numerics.md; the one 9 x 9 signed multiplier and the one 32-bit adder serve both
constexpr UInt32 mac(const UInt1& is_int8, const UInt16& activation, const UInt16& weight,
                     const UInt32& sum) {
  const UInt8 activation_exponent = slice<14, 7>(activation);
  const UInt8 weight_exponent = slice<14, 7>(weight);

  // Significands 1.f as positive 9-bit numbers, or the int8 operands with their sign.
  const UInt<9> activation_byte = concat(slice<7, 7>(activation), slice<7, 0>(activation));
  const UInt<9> weight_byte = concat(slice<7, 7>(weight), slice<7, 0>(weight));
  const UInt<9> activation_one = concat(UInt<2>(1), slice<6, 0>(activation));
  const UInt<9> weight_one = concat(UInt<2>(1), slice<6, 0>(weight));
  const Int<9> multiplicand = as_signed(is_int8 ? activation_byte : activation_one);
  const Int<9> multiplier = as_signed(is_int8 ? weight_byte : weight_one);
  const Int<18> product = multiplicand * multiplier;

  // The product as a term: its leading one is at bit 15 or 14 of 16.
  const bool activation_zero = activation_exponent == 0;
  const bool weight_zero = weight_exponent == 0;
  const bool product_zero = activation_zero || weight_zero;
  const bool activation_special = activation_exponent == kFp32ExponentMax;
  const bool weight_special = weight_exponent == kFp32ExponentMax;
  const bool activation_nan = activation_special && !(slice<6, 0>(activation) == 0);
  const bool weight_nan = weight_special && !(slice<6, 0>(weight) == 0);
  const bool infinite_times_zero =
      (activation_special && weight_zero) || (weight_special && activation_zero);
  const UInt<28> magnitude = concat(slice<15, 0>(product), UInt<12>(0));
  const Int<10> exponent =
      truncate<Int<10>>(Int<10>(activation_exponent) + Int<10>(weight_exponent) - Int<10>(126));
  const Term product_term{.sign = slice<15, 15>(activation) ^ slice<15, 15>(weight),
                          .exponent = exponent,
                          .magnitude = product_zero ? UInt<28>(0) : magnitude,
                          .is_nan = as_bit(activation_nan || weight_nan || infinite_times_zero),
                          .is_infinite = as_bit(activation_special || weight_special)};

  return add_round(is_int8, product_term, unpack_fp32(sum), truncate<UInt32>(product), sum);
}

}  // namespace systole::kernels
