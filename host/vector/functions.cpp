#include "host/vector/functions.h"

#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>

namespace systole::vector {
namespace {

using Op = VectorOperation;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// ((first * x + second) * x + ...) + last
Value polynomial(Assembler& program, Value x, std::initializer_list<float> factors) {
  auto factor = factors.begin();
  Value series = program.constant(*factor++);
  for (; factor != factors.end(); ++factor) {
    const bool is_one = *factor == 1.0f;
    series = program.fma(series, x, is_one ? Assembler::kOne : program.constant(*factor));
  }
  return series;
}

/// e^x of a finite x within +-128: 2^n e^r with |r| <= ln(2) / 2. Adding 1.5 * 2^23 rounds n.
Value bounded_exponential(Assembler& program, Value x) {
  const Value rounder = program.constant(0x1.8p23f);
  const Value shifted = program.fma(x, program.constant(0x1.715476p0f), rounder);
  const Value n = program.subtract(shifted, rounder);
  const Value near = program.fma(-n, program.constant(0x1.62e4p-1f), x);
  const Value r = program.fma(-n, program.constant(0x1.7f7d1cp-20f), near);
  const Value power = polynomial(
      program, r,
      {0x1.6d110ap-10f, 0x1.120b6ep-7f, 0x1.55551ap-5f, 0x1.5554dcp-3f, 0.5f, 1.0f, 1.0f});
  return program.scale(power, program.multiply_add(shifted, Assembler::kUnit, -rounder));
}

/// The reciprocal of the root of m, and its product with m, from a seed: a step of third order.
struct Root {
  Value reciprocal;
  Value root;
};
Root root_estimate(Assembler& program, Value m) {
  const Value seed = program.seed(VectorTable::kReciprocalRoot, m);
  const Value rest = program.fma(-program.multiply(m, seed), seed, Assembler::kOne);
  const Value slope = program.fma(rest, program.constant(0.375f), program.constant(0.5f));
  const Value y = program.fma(program.multiply(seed, rest), slope, seed);
  return {y, program.multiply(m, y)};
}

/// m and h with |x| = m * 4^h and m in [1, 4); m is 1, and h at least 256 from 0, for zeros and
/// infinities.
struct Quarters {
  Value m;
  Value h;
};
Quarters split(Assembler& program, Value x) {
  const Value exponent = program.make(Op::kExponent, x);
  const Value positive =
      program.bits_and(program.make(Op::kSignificand, x), program.constant(0x7fffffffu));
  const Value odd = program.bits_and(exponent, Assembler::kUnit);
  return {program.scale(positive, odd),
          program.make(Op::kShiftRightSigned, exponent, Assembler::kUnit)};
}

/// `root` with the sign of a zero x; NaN for an x below zero and for NaN.
Value finish_root(Assembler& program, Value x, Value root) {
  const Value sign = program.bits_and(x, program.constant(0x80000000u));
  const Value is_defined = program.compare(VectorPredicate::kLessEqual, Assembler::kZero, x);
  return program.select(is_defined, program.bits_or(root, sign), program.constant(kNan));
}

/// An angle within about pi / 4 of 0, and how many right angles further |x| is.
struct Angle {
  Value rest;
  Value quadrant;  ///< in the two highest bits
};

/// Below 2^22 by multiples of pi / 2 in three parts (Cody and Waite): the first difference is
/// exact.
Angle small_angle(Assembler& program, Value magnitude) {
  const Value rounder = program.constant(0x1.8p23f);
  const Value shifted = program.fma(magnitude, program.constant(0x1.45f306p-1f), rounder);
  const Value n = program.subtract(shifted, rounder);
  const Value high = program.fma(-n, program.constant(0x1.921fb6p0f), magnitude);
  const Value middle = program.fma(n, program.constant(0x1.777a5cp-25f), high);
  return {program.fma(n, program.constant(0x1.ee59dap-50f), middle),
          program.make(Op::kShiftLeft, shifted, program.constant(30u))};
}

/// From 1 on, as 64 bits of the fraction of |x| / (2 pi), a product of the significand and the
/// 96 bits of 1 / (2 pi) that bear on it (Payne and Hanek).
Angle large_angle(Assembler& program, Value x, Value exponent) {
  // Bits 32 j - 30 to 32 j + 1 after the point; those of the first word are zeros.
  Value words[] = {Assembler::kZero,
                   program.constant(0x517cc1b7u),
                   program.constant(0x27220a94u),
                   program.constant(0xfe13abe8u),
                   program.constant(0xfa9a6ee0u),
                   program.constant(0x6db14accu),
                   program.constant(0x9e21c820u)};
  std::size_t count = std::size(words);
  for (const std::uint32_t distance : {2U, 1U}) {  // the words that begin at exponent / 32
    const Value is_far = program.bits_and(exponent, program.constant(32 * distance));
    count -= distance;
    for (std::size_t i = 0; i < count; ++i) {
      words[i] = program.select(is_far, words[i + distance], words[i]);
    }
  }
  const Value bits = program.bits_and(exponent, program.constant(31u));
  const Value power = program.make(Op::kShiftLeft, Assembler::kUnit, bits);
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const Value left = program.make(Op::kShiftLeft, words[i], bits);
    words[i] = program.make(Op::kMultiplyHigh, words[i + 1], power, left);
  }
  const Value moved = program.make(Op::kShiftLeft, x, program.constant(8u));
  const Value m = program.bits_or(moved, program.constant(0x80000000u));
  const Value below = program.make(Op::kMultiplyHigh, m, words[2]);
  const Value low = program.multiply_add(m, words[1], below);
  const Value carry = program.compare(VectorPredicate::kUnsignedLess, low, below);  // -1 or 0
  const Value above = program.make(Op::kMultiplyHigh, m, words[1]);
  const Value turns = program.integer_add(program.multiply_add(m, words[0], above), -carry);

  const Value rest = program.make(Op::kShiftLeft, turns, program.constant(2u));  // signed
  const Value half = program.make(Op::kShiftRight, low, Assembler::kUnit);
  const Value fraction = program.fma(program.make(Op::kToFloat, half), program.constant(0x1p-29f),
                                     program.make(Op::kToFloat, rest));
  const Value correction = program.multiply(fraction, program.constant(-0x1.777a5cp-57f));
  return {program.fma(fraction, program.constant(0x1.921fb6p-32f), correction),
          program.integer_add(turns, program.constant(0x20000000u))};
}

enum class Wave : std::uint8_t { kSine, kCosine };

/// A cosine is a sine a right angle further. Times 0, an infinity gives NaN.
Value wave(Assembler& program, Value x, Wave wave) {
  const Value magnitude = program.bits_and(x, program.constant(0x7fffffffu));
  const Value exponent = program.make(Op::kExponent, x);
  const Angle large = large_angle(program, x, exponent);
  const Angle small = small_angle(program, magnitude);
  const Value is_small =
      program.compare(VectorPredicate::kIntegerLess, exponent, program.constant(12u));
  const Value r = program.select(is_small, small.rest, large.rest);
  Value quadrant = program.select(is_small, small.quadrant, large.quadrant);
  const Value right_angle = program.constant(0x40000000u);
  if (wave == Wave::kCosine) quadrant = program.integer_add(quadrant, right_angle);

  const Value square = program.multiply(r, r);
  const Value third =
      polynomial(program, square, {-0x1.991bf4p-13f, 0x1.1106c6p-7f, -0x1.555544p-3f});
  const Value sine = program.fma(program.multiply(third, square), r, r);
  const Value cosine =
      polynomial(program, square, {0x1.99e716p-16f, -0x1.6c0c26p-10f, 0x1.55554ap-5f, -0.5f, 1.0f});
  const Value value = program.select(program.bits_and(quadrant, right_angle), cosine, sine);
  if (wave == Wave::kSine) quadrant = program.bits_xor(quadrant, x);
  const Value sign = program.bits_and(quadrant, program.constant(0x80000000u));
  return program.fma(x, Assembler::kZero, program.bits_xor(value, sign));
}

}  // namespace

/// From a seed, by two steps of Newton's.
Value quick_reciprocal(Assembler& program, Value m) {
  Value y = program.seed(VectorTable::kReciprocal, m);
  for (int step = 0; step < 2; ++step) {
    const Value rest = program.fma(-m, y, Assembler::kOne);
    y = program.fma(y, rest, y);
  }
  return y;
}

Value exponential(Assembler& program, Value x) {
  const Value above = program.maximum(x, program.constant(-128.0f));
  return bounded_exponential(program, program.minimum(above, program.constant(128.0f)));
}

/// Through x = m 2^e with m in [sqrt(1/2), sqrt(2)) and f = m - 1.
Value logarithm(Assembler& program, Value x) {
  const Value step = program.constant(23u);
  const Value above = program.multiply_add(x, Assembler::kUnit, -program.constant(0x3f3504f3u));
  const Value e = program.make(Op::kShiftRightSigned, above, step);
  const Value moved = program.make(Op::kShiftLeft, e, step);
  const Value m = program.multiply_add(x, Assembler::kUnit, -moved);
  const Value f = program.subtract(m, Assembler::kOne);
  const Value exponent = program.make(Op::kToFloat, e);
  const Value series =
      polynomial(program, f,
                 {0x1.1d8ea6p-4f, -0x1.d635bcp-4f, 0x1.dea282p-4f, -0x1.fcf4c6p-4f, 0x1.23d21ap-3f,
                  -0x1.555b4ap-3f, 0x1.999d5ap-3f, -0x1.fffffcp-3f, 0x1.555554p-2f});
  const Value square = program.multiply(f, f);
  const Value third = program.multiply(program.multiply(series, f), square);
  const Value second = program.fma(-square, program.constant(0.5f), third);
  const Value low = program.fma(exponent, program.constant(-2.12194440e-4f), second);
  const Value finite = program.fma(exponent, program.constant(0.693359375f), program.add(f, low));

  const Value zero = program.compare(VectorPredicate::kEqual, x, Assembler::kZero);
  const Value other = program.select(zero, program.constant(-kInfinity), program.constant(kNan));
  const Value positive = program.compare(VectorPredicate::kLess, Assembler::kZero, x);
  const Value defined = program.select(positive, finite, other);
  const Value infinity = program.constant(kInfinity);
  return program.select(program.compare(VectorPredicate::kEqual, x, infinity), infinity, defined);
}

/// A polynomial below 0.55, and 1 - 2 / (e^2|x| + 1) above.
Value hyperbolic_tangent(Assembler& program, Value x) {
  const Value magnitude = program.bits_and(x, program.constant(0x7fffffffu));
  const Value a = program.minimum(magnitude, program.constant(16.0f));
  const Value power = bounded_exponential(program, program.add(a, a));
  const Value inverse = quick_reciprocal(program, program.add(power, Assembler::kOne));
  const Value large = program.fma(-inverse, program.constant(2.0f), Assembler::kOne);
  const Value square = program.multiply(a, a);
  const Value series = polynomial(program, square,
                                  {0x1.4b239ap-9f, -0x1.176410p-7f, 0x1.657936p-6f, -0x1.ba142ep-5f,
                                   0x1.111104p-3f, -0x1.555556p-2f});
  const Value small = program.fma(program.multiply(series, square), a, a);
  const Value is_small = program.compare(VectorPredicate::kLess, a, program.constant(0.55f));
  // Times +-1, because a sign set by force would show on a NaN.
  const Value sign = program.bits_and(x, program.constant(0x80000000u));
  return program.multiply(program.select(is_small, small, large),
                          program.bits_or(sign, Assembler::kOne));
}

Value logistic(Assembler& program, Value x) {
  const Value clamped =
      program.maximum(program.minimum(x, program.constant(128.0f)), program.constant(-128.0f));
  const Value power =
      bounded_exponential(program, program.fma(-clamped, Assembler::kOne, Assembler::kMinusZero));
  return reciprocal(program, program.add(power, Assembler::kOne));
}

Value reciprocal(Assembler& program, Value x) {
  const Value exponent = program.make(Op::kExponent, x);
  const Value y = quick_reciprocal(program, program.make(Op::kSignificand, x));
  return program.scale(y, program.multiply_add(-exponent, Assembler::kUnit, Assembler::kZero));
}

/// A polynomial below 0.93, and 1 - e^p(|x|) above.
Value error_function(Assembler& program, Value x) {
  const Value magnitude = program.bits_and(x, program.constant(0x7fffffffu));
  const Value a = program.minimum(magnitude, program.constant(4.0f));
  const Value inner = polynomial(program, a,
                                 {-1.72853470e-5f, 3.83197126e-4f, -3.88396438e-3f, 2.42546219e-2f,
                                  -1.06777877e-1f, -6.34846687e-1f, -1.28717512e-1f});
  const Value power = bounded_exponential(program, program.fma(inner, a, -a));
  const Value large = program.subtract(Assembler::kOne, power);
  const Value square = program.multiply(a, a);
  const Value series = polynomial(program, square,
                                  {-5.96761703e-4f, 4.99119423e-3f, -2.67681349e-2f, 1.12819925e-1f,
                                   -3.76125336e-1f, 1.28379166e-1f});
  const Value small = program.fma(series, a, a);
  const Value is_small = program.compare(VectorPredicate::kLess, a, program.constant(0.927734375f));
  const Value sign = program.bits_and(x, program.constant(0x80000000u));
  return program.multiply(program.select(is_small, small, large),
                          program.bits_or(sign, Assembler::kOne));
}

Value sine(Assembler& program, Value x) { return wave(program, x, Wave::kSine); }
Value cosine(Assembler& program, Value x) { return wave(program, x, Wave::kCosine); }

Value square_root(Assembler& program, Value x) {
  const auto [m, h] = split(program, x);
  const auto [y, root] = root_estimate(program, m);
  const Value rest = program.fma(-root, root, m);
  const Value half = program.multiply(y, program.constant(0.5f));
  return finish_root(program, x, program.scale(program.fma(rest, half, root), h));
}

/// Both by a step of third order from their seeds; the root's last multiplication adds c.
Value reciprocal_of_root(Assembler& program, Value x, Value c) {
  const Value root_seed = program.seed(VectorTable::kReciprocalRoot, x);
  const Value root = program.multiply(x, root_seed);
  const Value root_rest = program.fma(-root, root_seed, Assembler::kOne);
  const Value slope = program.fma(root_rest, program.constant(0.375f), program.constant(0.5f));
  const Value factor = program.fma(root_rest, slope, Assembler::kOne);
  const Value divisor = program.fma(root, factor, c);
  const Value seed = program.seed(VectorTable::kReciprocal, divisor);
  const Value rest = program.fma(-divisor, seed, Assembler::kOne);
  return program.fma(seed, program.fma(rest, rest, rest), seed);
}

Value reciprocal_square_root(Assembler& program, Value x) {
  const auto [m, h] = split(program, x);
  const auto [y, root] = root_estimate(program, m);
  const Value rest = program.fma(-root, y, Assembler::kOne);
  const Value half = program.multiply(y, program.constant(0.5f));
  const Value down = program.multiply_add(-h, Assembler::kUnit, Assembler::kZero);
  return finish_root(program, x, program.scale(program.fma(rest, half, y), down));
}

}  // namespace systole::vector
