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

/// How two words compare as unsigned numbers.
struct Order {
  bool below;
  bool equal;
};

/// Whether x < y, with -0 < +0; not for NaNs. Numbers of one sign are in the order of their bits or
/// against it.
constexpr bool is_below(const Fp32& x, const Fp32& y, const Order& order) {
  const bool magnitude_below = !y.is_zero() && (x.is_zero() || order.below);
  const bool magnitude_above = !x.is_zero() && (y.is_zero() || !(order.below || order.equal));
  if (x.sign() != y.sign()) return static_cast<bool>(x.sign());
  return x.sign() ? magnitude_above : magnitude_below;
}

/// Subnormals are zeros, and NaN is 0x7fc00000.
constexpr UInt32 vector_extreme(const Fp32& x, const Fp32& y, const Order& order, bool is_minimum) {
  const bool takes_y = is_below(x, y, order) != is_minimum;
  const UInt32 extreme = takes_y ? y.bits() : x.bits();
  const bool is_zero = takes_y ? y.is_zero() : x.is_zero();
  const UInt<31> magnitude = is_zero ? UInt<31>(0) : slice<30, 0>(extreme);
  return x.is_nan() || y.is_nan() ? UInt32(0x7fc00000) : concat(slice<31, 31>(extreme), magnitude);
}

constexpr bool vector_compare(const UInt<3>& predicate, const Fp32& x, const Fp32& y,
                              const Order& order) {
  const bool ordered = !x.is_nan() && !y.is_nan();
  const bool equal = (x.is_zero() && y.is_zero()) || order.equal;
  const bool less = !equal && is_below(x, y, order);
  switch (predicate.value()) {
    case 0:
      return ordered && equal;
    case 1:
      return ordered && less;
    case 2:
      return ordered && (less || equal);
    case 3:
      return order.equal;
    case 4:
      return x.sign() == y.sign() ? order.below : static_cast<bool>(x.sign());
    default:
      return order.below;
  }
}

/// How far fp32's significand is moved right from 2^31 down, so that an integer's bits come first.
constexpr UInt<7> integer_shift(const Fp32& x) {
  const bool is_tiny = x.exponent() < 126;  // below a half
  return is_tiny ? UInt<7>(34) : truncate<UInt<7>>(UInt8(158) - x.exponent());
}

/// fp32 to int32: to nearest even or down, saturating; NaN gives 0. `moved` is the significand by
/// integer_shift.
constexpr UInt32 vector_to_integer(const Fp32& x, const UInt<101>& moved, bool floors) {
  const bool is_large = x.exponent() > 157;  // 2^31 or more
  const UInt32 whole = slice<100, 69>(moved);
  const UInt1 half = slice<68, 68>(moved);
  const bool rest = !(slice<67, 0>(moved) == 0);
  const UInt1 nearest_up = half & as_bit(rest || bit<69>(moved));
  const UInt1 floor_up = x.sign() & as_bit(half || rest);
  const UInt1 up = floors ? floor_up : nearest_up;
  // -(whole + up) is ~whole + 1 - up.
  const UInt32 flipped = x.sign() ? ~whole : whole;
  const UInt32 number = truncate<UInt32>(flipped + (x.sign() ^ up));
  const UInt32 limit = x.sign() ? UInt32(0x80000000u) : UInt32(0x7fffffff);
  const UInt32 value = is_large ? limit : number;
  return x.is_nan() ? UInt32(0) : value;
}

/// fp32 to bf16, to nearest even, or by a random number: convert.h.
constexpr UInt32 vector_to_bf16(const Fp32& x, const UInt16& random, bool is_stochastic) {
  return UInt32(round_to_bf16(x, random, is_stochastic).bits());
}

constexpr UInt32 vector_exponent(const Fp32& x) {
  const Int<10> exponent = x.exponent() - UInt8(127);
  const Int32 unbiased = x.is_special() ? Int32(512) : Int32(exponent);
  return as_unsigned(x.is_zero() ? Int32(-512) : unbiased);
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

/// 2^amount as a factor that shifts left; 2^(31 - amount) where bits from 31 on of the product are
/// the number shifted right; 0 where all is lost.
constexpr UInt32 shift_factor(const UInt32& amount, bool is_left) {
  const UInt<5> low = slice<4, 0>(amount);
  const UInt<5> place = is_left ? low : ~low;
  return slice<31, 5>(amount) == 0 ? UInt32(1) << place : UInt32(0);
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
  const bool is_float = is_operation(task, VectorOperation::kFma);
  const bool shifts_left = is_operation(task, VectorOperation::kShiftLeft);
  const bool shifts_signed = is_operation(task, VectorOperation::kShiftRightSigned);
  const bool shifts =
      shifts_left || shifts_signed || is_operation(task, VectorOperation::kShiftRight);
  const bool to_integer = is_operation(task, VectorOperation::kToInteger);
  const bool to_float = is_operation(task, VectorOperation::kToFloat);

  // One multiplier serves significands, integers, shifts, whose factor is a power of two, and an
  // integer that becomes a float, times one. Negative numbers are complements there and back.
  const UInt1 flip = slice<31, 31>(a) & as_bit(shifts_signed || to_float);
  const UInt32 complemented = flip ? ~a : a;
  const UInt32 power = shift_factor(to_float ? UInt32(0) : b, shifts_left || to_float);
  const UInt32 multiplicand = is_float ? UInt32(concat(UInt1(1), x.fraction())) : complemented;
  const UInt32 integer = shifts || to_float ? power : b;
  const UInt32 multiplier = is_float ? UInt32(concat(UInt1(1), y.fraction())) : integer;
  const UInt<64> product = multiply_halves(multiplicand, multiplier);

  // One sum of floats serves the multiply-add and the rounding of an integer, and its addend's way
  // to its place the cutting of a float to an integer.
  const UInt8 half_exponent = UInt8(150);
  const UInt32 factor = concat(slice<31, 31>(a) ^ (task.negate_product & as_bit(!to_float)),
                               to_float ? half_exponent : x.exponent(), x.fraction());
  const UInt32 other = concat(slice<31, 31>(b) & as_bit(!to_float),
                              to_float ? half_exponent : y.exponent(), y.fraction());
  const UInt32 plain_addend = concat(slice<31, 31>(c) ^ task.negate_addend, slice<30, 0>(c));
  const UInt32 moved_number = to_integer ? a : plain_addend;
  const Fp32 addend = Fp32::from_bits(to_float ? UInt32(0) : moved_number);
  const FmaFrame frame = fma_frame(Fp32::from_bits(factor), Fp32::from_bits(other), addend);
  const UInt<101> moved = move_significand(addend, to_integer ? integer_shift(x) : frame.shift);

  const UInt32 low = slice<31, 0>(product);
  const UInt32 low_flipped = task.negate_product ? ~low : low;
  const UInt32 c_signed = task.negate_addend ? truncate<UInt32>(~c + UInt1(1)) : c;
  const Order order = {.below = a < b, .equal = a == b};

  switch (static_cast<VectorOperation>(task.operation.value())) {
    case VectorOperation::kFma:
    case VectorOperation::kToFloat:
      return fma_round(Fp32::from_bits(factor), Fp32::from_bits(other), addend,
                       slice<47, 0>(product), frame, moved, as_bit(to_float));
    case VectorOperation::kMaximum:
    case VectorOperation::kMinimum:
      return vector_extreme(x, y, order, is_operation(task, VectorOperation::kMinimum));
    case VectorOperation::kCompare:
      return vector_compare(task.mode, x, y, order) ? UInt32(0xffffffffu) : UInt32(0);
    case VectorOperation::kSelect:
      return c == 0 ? b : a;
    case VectorOperation::kAnd:
      return a & (task.negate_product ? ~b : b);
    case VectorOperation::kOr:
      return a | b | c;
    case VectorOperation::kXor:
      return a ^ b ^ c;
    case VectorOperation::kShiftLeft:
      return low;
    case VectorOperation::kShiftRight:
    case VectorOperation::kShiftRightSigned:
      return flip ? ~slice<62, 31>(product) : slice<62, 31>(product);
    case VectorOperation::kMultiplyAdd: {
      // A bit below carries in the one of a negation.
      const auto sum = concat(low_flipped, UInt1(1)) + concat(c_signed, task.negate_product);
      return slice<32, 1>(sum);
    }
    case VectorOperation::kMultiplyHigh:
      return slice<63, 32>(product) ^ c;
    case VectorOperation::kToInteger:
      return vector_to_integer(x, moved, bit<0>(task.mode));
    case VectorOperation::kToBf16:
    case VectorOperation::kToBf16Stochastic:
      return vector_to_bf16(x, slice<15, 0>(b),
                            is_operation(task, VectorOperation::kToBf16Stochastic));
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
