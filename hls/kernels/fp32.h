#pragma once

#include "systole/hls/int.h"

namespace systole::kernels {

using namespace systole::hls;

/// The canonical NaN, infinity and exponent of docs/numerics.md.
inline constexpr unsigned kFp32Nan = 0x7fc00000u;
inline constexpr int kFp32ExponentMax = 255;

/// One side of a floating-point addition, exact and not yet aligned:
/// value = (-1)^sign * magnitude * 2^(exponent - 127 - 27), magnitude 0 for a zero.
///
/// Limits   magnitude below 2^28. An operand whose leading one is at bit 26, not 27, may be taken
///          as it is: the four bits below an fp32 significand leave room for it.
struct Term {
  UInt1 sign;
  Int<10> exponent;
  UInt<28> magnitude;
  UInt1 is_nan;
  UInt1 is_infinite;
};

/// An fp32 as a Term; subnormals become signed zeros.
constexpr Term unpack_fp32(const UInt32& bits) {
  const UInt8 exponent = slice<30, 23>(bits);
  const UInt<23> fraction = slice<22, 0>(bits);
  const bool is_zero = exponent == 0;
  const bool is_special = exponent == kFp32ExponentMax;
  const UInt<28> significand = concat(UInt1(1), fraction, UInt<4>(0));
  return Term{.sign = slice<31, 31>(bits),
              .exponent = exponent,
              .magnitude = is_zero ? UInt<28>(0) : significand,
              .is_nan = as_bit(is_special && !(fraction == 0)),
              .is_infinite = as_bit(is_special && fraction == 0)};
}

/// x + y rounded once to fp32, or, with is_integer, the integers int_x + int_y modulo 2^32. Both
/// kinds go through the one adder.
///
/// Numbers  to nearest even; a result below the normal range after rounding becomes a signed zero;
///          overflow gives infinity; NaN is kFp32Nan. Exact cancellation gives +0.
/// Timing   pure
/// Source   the single-path adder with guard, round and sticky bits: Ercegovac and Lang, Digital
///          Arithmetic (2004), chapter 8
constexpr UInt32 add_round(const UInt1& is_integer, const Term& x, const Term& y,
                           const UInt32& int_x, const UInt32& int_y) {
  // Align: the term with the smaller exponent moves right; what falls off is kept as a sticky bit.
  const Int<11> exponent_difference = x.exponent - y.exponent;
  const bool swap = bit<10>(exponent_difference) || x.magnitude == 0;
  const UInt<28> big = swap ? y.magnitude : x.magnitude;
  const UInt<28> small = swap ? x.magnitude : y.magnitude;
  const UInt1 big_sign = swap ? y.sign : x.sign;
  const Int<10> big_exponent = swap ? y.exponent : x.exponent;

  const UInt<11> forward = as_unsigned(exponent_difference);
  const UInt<11> backward = truncate<UInt<11>>(y.exponent - x.exponent);
  const UInt<11> distance = bit<10>(exponent_difference) ? backward : forward;
  const UInt<5> shift = slice<10, 5>(distance) == 0 ? slice<4, 0>(distance) : UInt<5>(31);
  const UInt<28> aligned = small >> shift;
  const UInt<28> lost_mask = ~(UInt<28>(0xfffffff) << shift);
  const UInt1 sticky = as_bit(!((small & lost_mask) == 0));
  const UInt<28> addend = aligned | sticky;

  // One adder: the integers, or big +- addend.
  const UInt1 subtract = as_bit(!is_integer && !(x.sign == y.sign));
  const UInt32 left = is_integer ? int_x : UInt32(big);
  const UInt32 right = is_integer ? int_y : UInt32(addend);
  const UInt32 flipped = subtract ? ~right : right;
  const UInt32 total = truncate<UInt32>(left + flipped + UInt<2>(subtract));

  // Sign and magnitude. A subtraction of two close terms may come out negative.
  const UInt1 is_negative = slice<31, 31>(total);
  const UInt<29> low = slice<28, 0>(total);
  const UInt<29> negated = truncate<UInt<29>>(~low + UInt1(1));
  const UInt<29> magnitude = is_negative ? negated : low;
  const bool is_zero = magnitude == 0;
  const UInt1 sign = is_zero ? x.sign & y.sign : big_sign ^ is_negative;

  // Normalise: the leading one to bit 28, in five steps of a binary search.
  const UInt1 none16 = as_bit(slice<28, 13>(magnitude) == 0);
  const UInt<29> left16 = none16 ? magnitude << UInt<5>(16) : magnitude;
  const UInt1 none8 = as_bit(slice<28, 21>(left16) == 0);
  const UInt<29> left8 = none8 ? left16 << UInt<5>(8) : left16;
  const UInt1 none4 = as_bit(slice<28, 25>(left8) == 0);
  const UInt<29> left4 = none4 ? left8 << UInt<5>(4) : left8;
  const UInt1 none2 = as_bit(slice<28, 27>(left4) == 0);
  const UInt<29> left2 = none2 ? left4 << UInt<5>(2) : left4;
  const UInt1 none1 = as_bit(slice<28, 28>(left2) == 0);
  const UInt<29> normal = none1 ? left2 << UInt<5>(1) : left2;
  const UInt<5> leading_zeros = concat(none16, concat(none8, none4), concat(none2, none1));

  // Round to nearest even. A carry out of the fraction leaves it zero and raises the exponent.
  const Int<11> exponent =
      truncate<Int<11>>(big_exponent + Int<10>(1) - Int<10>(Int<6>(leading_zeros)));
  const UInt1 round_up =
      slice<4, 4>(normal) & as_bit(!(slice<3, 0>(normal) == 0) || bit<5>(normal));
  const UInt<24> rounded = slice<27, 5>(normal) + round_up;
  const Int<11> rounded_exponent =
      truncate<Int<11>>(exponent + Int<2>(UInt1(slice<23, 23>(rounded))));

  // Pick what the sum is.
  const bool is_tiny = is_zero || rounded_exponent <= 0;
  const bool is_huge = rounded_exponent >= kFp32ExponentMax;
  const bool makes_nan =
      x.is_nan || y.is_nan || (x.is_infinite && y.is_infinite && !(x.sign == y.sign));
  const bool is_infinite = x.is_infinite || y.is_infinite || (is_huge && !is_tiny);
  const UInt1 infinity_sign = x.is_infinite ? x.sign : y.is_infinite ? y.sign : sign;
  const UInt32 infinity = concat(infinity_sign, UInt8(kFp32ExponentMax), UInt<23>(0));
  const UInt32 zero = concat(sign, UInt<31>(0));
  const UInt32 finite = concat(sign, slice<7, 0>(rounded_exponent), slice<22, 0>(rounded));
  const UInt32 number = is_infinite ? infinity : is_tiny ? zero : finite;
  const UInt32 floating = makes_nan ? UInt32(kFp32Nan) : number;
  return is_integer ? total : floating;
}

}  // namespace systole::kernels
