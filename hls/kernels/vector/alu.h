#pragma once

#include "hls/kernels/convert.h"
#include "hls/kernels/vector/fma.h"
#include "hls/kernels/vector/instruction.h"
#include "hls/kernels/vector/seeds.h"

namespace systole::kernels {

/// Stages of a lane's arithmetic.
inline constexpr int kVectorStages = 7;

/// What is to be done to three operands.
struct VectorTask {
  UInt<5> operation;
  UInt<3> mode;
  UInt1 negate_product;
  UInt1 negate_addend;
};

constexpr bool is_operation(const VectorTask& task, VectorOperation operation) {
  return task.operation == UInt<5>::from(static_cast<unsigned>(operation));
}

/// Whether x < y, with -0 < +0; not for NaNs.
constexpr bool is_below(const Fp32& x, const Fp32& y) {
  const UInt<31> x_magnitude = x.is_zero() ? UInt<31>(0) : slice<30, 0>(x.bits());
  const UInt<31> y_magnitude = y.is_zero() ? UInt<31>(0) : slice<30, 0>(y.bits());
  const bool magnitude_below = x_magnitude < y_magnitude;
  const bool magnitude_above = y_magnitude < x_magnitude;
  if (x.sign() != y.sign()) return static_cast<bool>(x.sign());
  return x.sign() ? magnitude_above : magnitude_below;
}

/// With subnormals as zeros and NaN as 0x7fc00000.
constexpr UInt32 canonical(const Fp32& x) {
  const UInt<31> magnitude = x.is_zero() ? UInt<31>(0) : slice<30, 0>(x.bits());
  return x.is_nan() ? UInt32(0x7fc00000) : concat(x.sign(), magnitude);
}

constexpr UInt32 vector_extreme(const Fp32& x, const Fp32& y, bool is_minimum) {
  const bool takes_y = is_below(x, y) != is_minimum;
  const UInt32 value = takes_y ? canonical(y) : canonical(x);
  return x.is_nan() || y.is_nan() ? UInt32(0x7fc00000) : value;
}

constexpr bool vector_compare(const UInt<3>& predicate, const UInt32& a, const UInt32& b) {
  const Fp32 x = Fp32::from_bits(a);
  const Fp32 y = Fp32::from_bits(b);
  const bool ordered = !x.is_nan() && !y.is_nan();
  const bool equal = (x.is_zero() && y.is_zero()) || a == b;
  const bool less = !equal && is_below(x, y);
  switch (predicate.value()) {
    case 0:
      return ordered && equal;
    case 1:
      return ordered && less;
    case 2:
      return ordered && (less || equal);
    case 3:
      return a == b;
    case 4:
      return as_signed(a) < as_signed(b);
    default:
      return a < b;
  }
}

/// fp32 to int32: to nearest even or down, saturating; NaN gives 0.
constexpr UInt32 vector_to_integer(const Fp32& x, bool floors) {
  // The significand with 31 bits above its fraction's end, moved right from 2^31 down.
  const UInt8 exponent = x.exponent();
  const bool is_large = exponent > 157;  // 2^31 or more
  const bool is_tiny = exponent < 126;   // below a half
  const UInt<8> distance = truncate<UInt<8>>(UInt8(158) - exponent);
  const UInt<6> shift = is_tiny ? UInt<6>(34) : slice<5, 0>(distance);
  const UInt<24> significand = x.is_zero() ? UInt<24>(0) : concat(UInt1(1), x.fraction());
  const UInt<66> moved = concat(significand, UInt<42>(0)) >> shift;
  const UInt32 whole = slice<65, 34>(moved);
  const UInt1 half = slice<33, 33>(moved);
  const bool rest = !(slice<32, 0>(moved) == 0);
  const UInt1 nearest_up = half & as_bit(rest || bit<34>(moved));
  const UInt1 floor_up = x.sign() & as_bit(half || rest);
  const UInt1 up = floors ? floor_up : nearest_up;
  const UInt32 magnitude = truncate<UInt32>(whole + up);
  const UInt32 negated = truncate<UInt32>(~magnitude + UInt1(1));
  const UInt32 limit = x.sign() ? UInt32(0x80000000u) : UInt32(0x7fffffff);
  const UInt32 number = x.sign() ? negated : magnitude;
  const UInt32 value = is_large ? limit : number;
  return x.is_nan() ? UInt32(0) : value;
}

constexpr UInt32 vector_exponent(const Fp32& x) {
  const Int<10> exponent = x.exponent() - UInt8(127);
  const Int32 value = x.is_special() ? Int32(512) : Int32(exponent);
  return as_unsigned(x.is_zero() ? Int32(-512) : value);
}

constexpr UInt32 vector_significand(const Fp32& x) {
  const UInt<23> fraction = x.is_zero() || x.is_special() ? UInt<23>(0) : x.fraction();
  return x.is_nan() ? UInt32(0x7fc00000) : concat(x.sign(), UInt8(127), fraction);
}

constexpr UInt32 vector_scale(const Fp32& x, const UInt32& amount) {
  const Int<12> exponent = x.exponent() + saturate<Int<11>>(as_signed(amount));
  const bool vanishes = exponent < 1 && !x.is_special();
  const bool overflows = exponent > 254 || x.is_special();
  const UInt<31> number = concat(slice<7, 0>(exponent), x.fraction());
  const UInt<31> in_range = overflows ? UInt<31>(0x7f800000) : number;
  const UInt<31> magnitude = x.is_zero() || vanishes ? UInt<31>(0) : in_range;
  return x.is_nan() ? UInt32(0x7fc00000) : concat(x.sign(), magnitude);
}

constexpr UInt32 vector_seed(const UInt32& a, bool is_root) {
  const UInt8 exponent = slice<30, 23>(a);
  const UInt<6> reciprocal_place = slice<22, 17>(a);
  const UInt<6> root_place = slice<23, 18>(a);
  const UInt8 reciprocal = UInt8::from(kReciprocalSeeds[reciprocal_place.value()]);
  const UInt8 root = UInt8::from(kReciprocalRootSeeds[root_place.value()]);
  const bool vanishes = !is_root && exponent > 252;
  const UInt<8> halved = truncate<UInt<8>>((exponent + UInt1(1)) >> UInt1(1));
  const UInt8 inverse =
      truncate<UInt8>((is_root ? UInt8(190) : UInt8(253)) - (is_root ? halved : exponent));
  const UInt<31> number = concat(inverse, is_root ? root : reciprocal, UInt<15>(0));
  return concat(slice<31, 31>(a), vanishes ? UInt<31>(0) : number);
}

/// x y, from the products of 16 bits that an FPGA's multipliers make, so that a pipeline may be cut
/// between those and their sum.
constexpr UInt<64> multiply_halves(const UInt32& x, const UInt32& y) {
  const UInt16 x_low = slice<15, 0>(x), x_high = slice<31, 16>(x);
  const UInt16 y_low = slice<15, 0>(y), y_high = slice<31, 16>(y);
  const auto outer = concat(x_high * y_high, x_low * y_low);
  const auto inner = x_low * y_high + x_high * y_low;
  const auto upper = truncate<UInt<48>>(slice<63, 16>(outer) + inner);
  return concat(upper, slice<15, 0>(outer));
}

/// One instruction on one lane's operands.
///
/// Shapes   one element
/// Timing   pure; an array of Pipeline<&vector_alu, kVectorStages>, II = 1
/// Numbers  instruction.h; an operation's code without a meaning does what kSeed does
constexpr UInt32 vector_alu(const VectorTask& task, const UInt32& a, const UInt32& b,
                            const UInt32& c) {
  const Fp32 x = Fp32::from_bits(a);
  const Fp32 y = Fp32::from_bits(b);
  // One multiplier serves significands and integers.
  const bool is_float = is_operation(task, VectorOperation::kFma);
  const UInt32 multiplicand = is_float ? UInt32(concat(UInt1(1), x.fraction())) : a;
  const UInt32 multiplier = is_float ? UInt32(concat(UInt1(1), y.fraction())) : b;
  const UInt<64> product = multiply_halves(multiplicand, multiplier);

  const UInt32 factor = concat(slice<31, 31>(a) ^ task.negate_product, slice<30, 0>(a));
  const UInt32 addend = concat(slice<31, 31>(c) ^ task.negate_addend, slice<30, 0>(c));
  const UInt32 low = slice<31, 0>(product);
  const UInt32 low_signed = task.negate_product ? truncate<UInt32>(~low + UInt1(1)) : low;
  const UInt32 c_signed = task.negate_addend ? truncate<UInt32>(~c + UInt1(1)) : c;
  const bool shifts_out = !(slice<31, 5>(b) == 0);
  const UInt<5> amount = slice<4, 0>(b);
  const UInt32 sign_bits = bit<31>(a) ? UInt32(0xffffffffu) : UInt32(0);

  switch (static_cast<VectorOperation>(task.operation.value())) {
    case VectorOperation::kFma:
      return fma_round(Fp32::from_bits(factor), y, Fp32::from_bits(addend), slice<47, 0>(product));
    case VectorOperation::kMaximum:
      return vector_extreme(x, y, false);
    case VectorOperation::kMinimum:
      return vector_extreme(x, y, true);
    case VectorOperation::kCompare:
      return vector_compare(task.mode, a, b) ? UInt32(0xffffffffu) : UInt32(0);
    case VectorOperation::kSelect:
      return c == 0 ? b : a;
    case VectorOperation::kAnd:
      return a & (task.negate_product ? ~b : b);
    case VectorOperation::kOr:
      return a | b | c;
    case VectorOperation::kXor:
      return a ^ b ^ c;
    case VectorOperation::kShiftLeft:
      return shifts_out ? UInt32(0) : a << amount;
    case VectorOperation::kShiftRight:
      return shifts_out ? UInt32(0) : a >> amount;
    case VectorOperation::kShiftRightSigned:
      return shifts_out ? sign_bits : as_unsigned(as_signed(a) >> amount);
    case VectorOperation::kMultiplyAdd:
      return truncate<UInt32>(low_signed + c_signed);
    case VectorOperation::kMultiplyHigh:
      return slice<63, 32>(product) ^ c;
    case VectorOperation::kToInteger:
      return vector_to_integer(x, bit<0>(task.mode));
    case VectorOperation::kToFloat:
      return int32_to_fp32(as_signed(a)).bits();
    case VectorOperation::kToBf16:
      return UInt32(fp32_to_bf16(x).bits());
    case VectorOperation::kToBf16Stochastic:
      return UInt32(fp32_to_bf16_stochastic(x, slice<15, 0>(b)).bits());
    case VectorOperation::kExponent:
      return vector_exponent(x);
    case VectorOperation::kSignificand:
      return vector_significand(x);
    case VectorOperation::kScale:
      return vector_scale(x, b);
    default:
      return vector_seed(a, bit<0>(task.mode));
  }
}

}  // namespace systole::kernels
