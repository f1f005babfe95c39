#pragma once

#include "systole/hls/float.h"

namespace systole::kernels {

using namespace systole::hls;

/// A 78-bit magnitude with its leading one at bit 77, and how far it was moved left.
struct WideNormal {
  UInt<78> magnitude;
  UInt<7> leading_zeros;
};

/// Moves `value` left; `fill` comes in from the right.
constexpr WideNormal normalize_wide(const UInt<78>& value, const UInt1& fill) {
  const UInt<64> filler = fill ? ~UInt<64>(0) : UInt<64>(0);
  // A binary search: by 64, 32, 16, 8, 4, 2, 1.
  const UInt1 none64 = as_bit(slice<77, 14>(value) == 0);
  const UInt<78> left64 = none64 ? concat(slice<13, 0>(value), filler) : value;
  const UInt1 none32 = as_bit(slice<77, 46>(left64) == 0);
  const UInt<78> left32 = none32 ? concat(slice<45, 0>(left64), slice<31, 0>(filler)) : left64;
  const UInt1 none16 = as_bit(slice<77, 62>(left32) == 0);
  const UInt<78> left16 = none16 ? concat(slice<61, 0>(left32), slice<15, 0>(filler)) : left32;
  const UInt1 none8 = as_bit(slice<77, 70>(left16) == 0);
  const UInt<78> left8 = none8 ? concat(slice<69, 0>(left16), slice<7, 0>(filler)) : left16;
  const UInt1 none4 = as_bit(slice<77, 74>(left8) == 0);
  const UInt<78> left4 = none4 ? concat(slice<73, 0>(left8), slice<3, 0>(filler)) : left8;
  const UInt1 none2 = as_bit(slice<77, 76>(left4) == 0);
  const UInt<78> left2 = none2 ? concat(slice<75, 0>(left4), slice<1, 0>(filler)) : left4;
  const UInt1 none1 = as_bit(slice<77, 77>(left2) == 0);
  return {
      .magnitude = none1 ? concat(slice<76, 0>(left2), fill) : left2,
      .leading_zeros = concat(none64, concat(none32, none16, none8), concat(none4, none2, none1))};
}

/// What a fused multiply-add knows before its product is there.
struct FmaFrame {
  UInt1 product_is_zero;
  UInt<9> product_exponent;
  UInt1 z_leads;  ///< the frame's exponent is z's
  UInt<7> shift;  ///< how far z is moved right
};

constexpr FmaFrame fma_frame(const Fp32& x, const Fp32& y, const Fp32& z) {
  const bool product_is_zero = x.is_zero() || y.is_zero();
  const UInt<9> product_exponent = x.exponent() + y.exponent();
  // A window of 76 bits: z starts at its top, the product lies in its lowest 48. z moves right by
  // the distance; where it cannot, being so much larger, the product is only a trace below it.
  const Int<10> distance = product_exponent - UInt<9>(z.exponent() + UInt8(98));
  const bool z_leads = product_is_zero || distance <= 0;
  const bool z_is_trace = !z_leads && distance > 76;
  const UInt<7> far = z_is_trace ? UInt<7>(77) : slice<6, 0>(distance);
  return {.product_is_zero = as_bit(product_is_zero),
          .product_exponent = product_exponent,
          .z_leads = as_bit(z_leads),
          .shift = z_leads ? UInt<7>(0) : far};
}

/// The significand of z, a zero's being 0, moved right from the top of 101 bits.
constexpr UInt<101> move_significand(const Fp32& z, const UInt<7>& shift) {
  const UInt<24> significand = z.is_zero() ? UInt<24>(0) : concat(UInt1(1), z.fraction());
  return concat(significand, UInt<77>(0)) >> shift;
}

/// x * y + z rounded once to fp32, given the product of the significands of x and y, their frame,
/// and z's significand moved by its shift.
///
/// With `is_integer` an int32 rounded to fp32 instead. Then the product is the integer, or its
/// complement where x has a sign, which is that of the integer; x and y are 2^23 of their signs,
/// y's and z are +0's: exponents that add up to 300 make a product of 48 bits an integer.
///
/// Limits   product = 1.x * 1.y as 48 bits, whatever x and y are; a subnormal's is never read
/// Numbers  subnormals are zeros of their sign; to nearest even; a result below the normal range
///          after rounding becomes a signed zero; overflow gives infinity; NaN is 0x7fc00000; exact
///          cancellation gives +0: x86's vfmadd with FTZ and DAZ, but for NaNs' payloads
/// Timing   pure
/// Source   docs/numerics.md section 8; Ercegovac and Lang, Digital Arithmetic (2004), chapter 8
constexpr UInt32 fma_round(const Fp32& x, const Fp32& y, const Fp32& z, const UInt<48>& product,
                           const FmaFrame& at, const UInt<101>& z_moved, const UInt1& is_integer) {
  const UInt1 product_sign = x.sign() ^ y.sign();
  const UInt1 subtract = product_sign ^ z.sign();
  const UInt<77> z_window = concat(slice<100, 25>(z_moved), as_bit(!(slice<24, 0>(z_moved) == 0)));
  const UInt<49> p_window =
      at.product_is_zero ? UInt<49>(0) : concat(product, is_integer & subtract);

  // A bit below the window carries in the one of a negation, so that all is one sum. An integer's
  // complement has no such one.
  const UInt1 negates = subtract & ~is_integer;
  const Int<50> p_flipped = as_signed(concat(subtract, subtract ? UInt<49>(~p_window) : p_window));
  const Int<80> sum_below =
      Int<79>(concat(z_window, UInt1(1))) + as_signed(concat(as_unsigned(p_flipped), negates));
  const Int<79> sum = as_signed(slice<79, 1>(sum_below));

  // A negative sum is flipped bit by bit, which is one unit of its last bit too few, or as much as
  // ones without end behind that bit: they come in from the right, and rounding takes them for one.
  const UInt1 flip = slice<78, 78>(sum);
  const UInt<78> magnitude = flip ? ~slice<77, 0>(sum) : slice<77, 0>(sum);
  const WideNormal normal = normalize_wide(magnitude, flip);
  const Int<11> frame = at.z_leads ? Int<11>(UInt<9>(z.exponent() + UInt1(1)))
                                   : Int<11>(at.product_exponent - UInt<7>(97));
  const Int<12> exponent = frame - normal.leading_zeros;
  const UInt<23> fraction = slice<76, 54>(normal.magnitude);
  const UInt1 odd = slice<54, 54>(normal.magnitude);
  const UInt1 half = slice<53, 53>(normal.magnitude);
  const UInt<53> rest = slice<52, 0>(normal.magnitude);
  const UInt1 up_plain = half & (as_bit(!(rest == 0)) | odd);
  const UInt1 up_flipped = half | (as_bit(~rest == 0) & odd);
  const UInt<24> rounded = fraction + (flip ? up_flipped : up_plain);
  // A carry out of the fraction leaves it zero and raises the exponent.
  const Int<13> final_exponent = exponent + UInt<1>(slice<23, 23>(rounded));

  const bool infinite_times_zero =
      (x.is_special() && y.is_zero()) || (y.is_special() && x.is_zero());
  const bool product_is_infinite = x.is_special() || y.is_special();
  const bool is_nan = x.is_nan() || y.is_nan() || z.is_nan() || infinite_times_zero ||
                      (product_is_infinite && z.is_special() && subtract);
  const bool is_zero = !bit<77>(normal.magnitude);
  const bool is_infinite = product_is_infinite || z.is_special();
  const bool overflows = !is_zero && final_exponent > 254;
  const bool vanishes = is_zero || final_exponent < 1;
  const UInt1 infinite_sign = product_is_infinite ? product_sign : z.sign();
  const UInt1 finite_sign = is_zero ? z.sign() & ~subtract : z.sign() ^ flip;
  const UInt1 sign = is_infinite ? infinite_sign : finite_sign;
  const UInt<31> number = concat(slice<7, 0>(final_exponent), slice<22, 0>(rounded));
  const UInt<31> in_range = vanishes ? UInt<31>(0) : number;
  const UInt<31> value = is_infinite || overflows ? UInt<31>(0x7f800000) : in_range;
  return is_nan ? UInt32(0x7fc00000) : concat(sign, value);
}

}  // namespace systole::kernels
