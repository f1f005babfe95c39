#pragma once

#include "systole/hls/float.h"

namespace systole::kernels {

using namespace systole::hls;

/// The canonical NaN of docs/numerics.md.
inline constexpr unsigned kFp32Nan = 0x7fc00000u;

/// One side of a floating-point addition, exact and not yet aligned:
/// value = (-1)^sign * magnitude * 2^(exponent - 128 - 127 - 26).
///
/// Limits   an fp32's leading one is at bit 26 of the magnitude; that of `x` in add_round may be at
///          27, which spares a product its normalisation. `y` has bits 26 to 3 only.
/// Numbers  the exponent's offset of 128 keeps that of a product positive: its own is an
///          exponent plus an exponent plus one. A magnitude counts only where is_zero is 0.
struct Term {
  UInt1 sign;
  UInt<9> exponent;
  UInt<28> magnitude;
  UInt1 is_zero;
  UInt1 is_nan;
  UInt1 is_infinite;
};

/// An fp32 as a Term; subnormals become signed zeros.
constexpr Term unpack_fp32(const UInt32& bits) {
  const Fp32 value = Fp32::from_bits(bits);
  const UInt8 exponent = value.exponent();
  const UInt1 highest = slice<7, 7>(exponent);
  return Term{.sign = value.sign(),
              .exponent = concat(highest, ~highest, slice<6, 0>(exponent)),  // plus 128
              .magnitude = concat(UInt1(1), value.fraction(), UInt<3>(0)),
              .is_zero = as_bit(value.is_zero()),
              .is_nan = as_bit(value.is_nan()),
              .is_infinite = as_bit(value.is_infinite())};
}

/// `small` moved right by `shift`, without its lowest bit; what falls off is kept as a sticky bit.
/// A zero's magnitude says nothing and leaves no trace; its shift is 31.
///
/// Limits   magnitudes as in Term, one place further left
constexpr UInt<27> align(const UInt<28>& small, const UInt1& is_zero, const UInt<5>& shift) {
  // By 0 to 3, by 0 to 12, by 0 or 16. The amounts fit 32 bits, so no shift needs a guard. What
  // falls off after the first is below a mask, which moves by fours.
  const UInt<2> fours = slice<3, 2>(shift);
  const UInt32 right3 = UInt32(small) >> slice<1, 0>(shift);
  const UInt32 right15 = right3 >> concat(fours, UInt<2>(0));
  const UInt32 right31 = bit<4>(shift) ? right15 >> UInt<5>(16) : right15;
  const UInt32 kept = UInt32(0xfffffffcu) << concat(slice<4, 2>(shift), UInt<2>(0));
  const bool lost = !((right3 & ~kept) == 0);
  return concat(slice<27, 2>(right31), as_bit(!is_zero && lost));
}

/// A magnitude with its leading one at bit 28, and how far it was moved left.
struct Normal {
  UInt<29> magnitude;
  UInt<5> leading_zeros;
};

/// `total`, or with `flip` its complement, moved left until the leading one is at bit 28. What
/// comes in from the right of a complement is ones.
constexpr Normal normalize(const UInt<29>& total, const UInt1& flip) {
  // By 0 to 24, by 0 to 6, by 1.
  const UInt<29> magnitude = flip ? ~total : total;
  const bool in8 = !(slice<28, 21>(magnitude) == 0);
  const bool in16 = !(slice<20, 13>(magnitude) == 0);
  const bool in24 = !(slice<12, 5>(magnitude) == 0);
  const UInt<2> eights = in8 ? UInt<2>(0) : in16 ? UInt<2>(1) : in24 ? UInt<2>(2) : UInt<2>(3);
  const UInt<5> by_eights = concat(eights, UInt<3>(0));
  const UInt<29> left24 = total << by_eights;
  const UInt<7> top = flip ? ~slice<28, 22>(left24) : slice<28, 22>(left24);
  // Three pairs of bits, zero or not, and the last of the zeros from the same bits: that does not
  // wait for left30.
  const UInt1 zero2 = as_bit(slice<6, 5>(top) == 0);
  const UInt1 zero4 = as_bit(slice<6, 3>(top) == 0);
  const UInt1 third = as_bit(slice<2, 1>(top) == 0);
  const UInt<2> twos = concat(zero4, zero2 & (~zero4 | third));
  const UInt1 high4 = slice<6, 6>(top) | (~slice<5, 5>(top) & slice<4, 4>(top));
  const UInt1 low4 = slice<2, 2>(top) | (~slice<1, 1>(top) & slice<0, 0>(top));
  const UInt1 none1 = ~(high4 | (zero4 & low4));
  const UInt<3> by_twos = concat(twos, UInt1(0));
  const UInt<29> left30 = left24 << by_twos;
  const UInt<29> left31 = left30 << none1;
  return {.magnitude = flip ? ~left31 : left31, .leading_zeros = concat(eights, twos, none1)};
}

/// x + y rounded once to fp32; or, with is_integer, int_total as it is.
///
/// Numbers  to nearest even; a result below the normal range after rounding becomes a signed zero;
///          overflow gives infinity; NaN is kFp32Nan. Exact cancellation gives +0.
/// Timing   pure
/// Source   the single-path adder with guard, round and sticky bits: Ercegovac and Lang, Digital
///          Arithmetic (2004), chapter 8
constexpr UInt32 add_round(const UInt1& is_integer, const Term& x, const Term& y,
                           const UInt32& int_total) {
  // Which is bigger by its exponent. Where that is y, the distance is one too small, and x starts
  // one place further right.
  const Int<10> difference = x.exponent - y.exponent;
  const UInt1 is_below = slice<9, 9>(difference);
  const UInt1 swap = is_below | x.is_zero;
  // Beyond 8 bits the distance is wrong, but far as it should be.
  const UInt8 difference_bits = slice<7, 0>(difference);
  const UInt8 distance = bit<8>(difference) ? ~difference_bits : difference_bits;
  const UInt1 small_is_zero = is_integer | (swap ? x.is_zero : y.is_zero);
  const bool is_far = !(slice<7, 5>(distance) == 0) || small_is_zero;
  const UInt<5> shift = is_far ? UInt<5>(31) : slice<4, 0>(distance);

  const UInt1 big_sign = swap ? y.sign : x.sign;
  const UInt<9> float_exponent = swap ? y.exponent : x.exponent;
  const UInt1 big_is_zero = swap & y.is_zero;
  const UInt<28> big_choice = swap ? y.magnitude : x.magnitude;
  const UInt<28> float_big = big_is_zero ? UInt<28>(0) : big_choice;
  const UInt<28> small = swap ? x.magnitude : y.magnitude << UInt1(1);

  // An integer rides along: its low bits as the fraction of a normalised number to which nothing is
  // added, its high bits as the exponent.
  const UInt<29> integer_big = concat(UInt1(1), slice<22, 0>(int_total), UInt<5>(0));
  const UInt<29> big = is_integer ? integer_big : UInt<29>(float_big);
  const UInt<9> big_exponent = is_integer ? slice<31, 23>(int_total) : float_exponent;

  // One subtraction and no negation. A sum is a difference to the complement, with one more taken
  // by the bit below. A negative difference is flipped bit by bit, which leaves small - big - 1;
  // the one is missing until the rounding, which always adds it: nothing was lost in such a
  // difference, so that zeros came in from its right, and flipped they are ones.
  const UInt<29> addend = align(small, small_is_zero, shift);
  const UInt1 subtract = ~is_integer & (x.sign ^ y.sign);
  const UInt<29> subtrahend = subtract ? addend : ~addend;
  const UInt<29> total = slice<29, 1>(concat(big, UInt1(0)) - concat(subtrahend, ~subtract));
  const UInt1 flip = subtract & slice<28, 28>(total);

  const Normal sum = normalize(total, flip);
  const UInt<29> normal = sum.magnitude;

  // Round to nearest even. A carry out of the fraction leaves it zero and raises the exponent, from
  // which 126 are still to be taken: 130 are added to its eight bits.
  const UInt<9> exponent = truncate<UInt<9>>(big_exponent - sum.leading_zeros);
  const UInt<23> fraction = slice<27, 5>(normal);
  const UInt1 round_up =
      slice<4, 4>(normal) & as_bit(!(slice<3, 0>(normal) == 0) || bit<5>(normal));
  const UInt1 is_float = ~is_integer;
  const UInt8 bias = concat(is_float, UInt<5>(0), concat(is_float, UInt1(0)));
  const UInt<31> rounded = truncate<UInt<31>>(concat(slice<7, 0>(exponent), fraction) +
                                              concat(bias, UInt<22>(0), round_up));

  // Pick what the sum is.
  const UInt1 makes_nan = x.is_nan | y.is_nan | (x.is_infinite & y.is_infinite & subtract);
  const UInt1 is_special = makes_nan | x.is_infinite | y.is_infinite;
  const UInt1 infinity_sign = (x.is_infinite & x.sign) | (y.is_infinite & y.sign);
  const UInt1 is_zero = ~slice<28, 28>(normal);
  const UInt1 number_sign = (big_sign ^ flip) & ~(subtract & is_zero);
  const UInt1 float_sign = is_special ? infinity_sign & ~makes_nan : number_sign;
  const UInt1 sign = is_integer ? slice<8, 8>(exponent) : float_sign;

  // At 380 a carry makes infinity by itself. At 126 a carry makes the smallest normal number and
  // its absence a subnormal: the exponent is right, and the fraction is to be zero either way.
  const bool is_huge = is_special || exponent > 380;
  const bool is_outside = is_float && (is_huge || is_zero || exponent < 126);
  const bool is_power = is_float && (is_outside || exponent == 126);
  const UInt8 outside = is_huge ? UInt8(255) : UInt8(0);
  const UInt8 final_exponent = is_outside ? outside : slice<30, 23>(rounded);
  const UInt<23> final_fraction = is_power ? concat(makes_nan, UInt<22>(0)) : slice<22, 0>(rounded);
  return concat(sign, final_exponent, final_fraction);
}

}  // namespace systole::kernels
