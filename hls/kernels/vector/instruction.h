#pragma once

#include "systole/hls/int.h"

namespace systole::kernels {

using namespace systole::hls;

/// The vector engine's instructions, as data: docs/vector.md. Operands a, b, c are 32 bits.
///
/// Numbers  floats follow docs/numerics.md section 8, integers are modulo 2^32
enum class VectorOperation : unsigned char {
  kFma,      ///< +-(a * b) +- c, rounded once
  kMaximum,  ///< of floats; -0 < +0; NaN if one is
  kMinimum,
  kCompare,    ///< all ones or zero; `mode` is a VectorPredicate
  kSelect,     ///< c != 0 ? a : b
  kAnd,        ///< a & b, or a & ~b with negate_product
  kOr,         ///< a | b | c
  kXor,        ///< a ^ b ^ c
  kShiftLeft,  ///< a << b; every bit is lost from 32 on
  kShiftRight,
  kShiftRightSigned,
  kMultiplyAdd,       ///< integers: +-(a * b) +- c
  kMultiplyHigh,      ///< upper half of unsigned a * b, xor c
  kToInteger,         ///< fp32 to int32, saturating, NaN to 0; `mode` is a VectorRounding
  kToFloat,           ///< int32 to fp32, to nearest even
  kToBf16,            ///< to nearest even, in the low half
  kToBf16Stochastic,  ///< with the low half of b as the random number
  kExponent,          ///< floor(log2 |a|) as int32; -512 for zero, 512 for infinity and NaN
  kSignificand,       ///< a with exponent 0; 1 of its sign for zero and infinity
  kScale,             ///< a * 2^b of an int32 b; exact but for overflow and underflow
  kSeed,              ///< table look-up; `mode` is a VectorTable
};
inline constexpr int kVectorOperations = 21;

enum class VectorPredicate : unsigned char {
  kEqual,  ///< of floats; false for NaN, -0 equals +0
  kLess,
  kLessEqual,
  kIntegerEqual,
  kIntegerLess,
  kUnsignedLess,
};
enum class VectorRounding : unsigned char { kNearestEven, kFloor };
enum class VectorTable : unsigned char {
  kReciprocal,      ///< 1 / a; 0 where that is below 2^-126
  kReciprocalRoot,  ///< 1 / sqrt(|a|), with the sign of a
};

/// Where an operand comes from: 0 to 15 a register, 32 to 63 a constant.
inline constexpr int kVectorRegisters = 16;
inline constexpr int kVectorConstants = 32;
inline constexpr int kSourceStream = 16;     ///< takes a word from input stream `in`
inline constexpr int kSourceOne = 17;        ///< 1.0
inline constexpr int kSourceMinusZero = 18;  ///< -0.0: what a product is added to
inline constexpr int kSourceZero = 19;
inline constexpr int kSourceUnit = 20;     ///< the integer 1
inline constexpr int kSourceColumn = 21;   ///< the element's place in its row
inline constexpr int kSourceRow = 22;      ///< the row's place in the run
inline constexpr int kSourceElement = 23;  ///< the element's place in its tensor
inline constexpr int kSourceConstants = 32;

/// An exchange reads operand b from another lane or slot: 0 none; 1 + k lane n ^ 2^k; 12 + k slot
/// s ^ 2^k.
inline constexpr int kExchangeLane = 1;
inline constexpr int kExchangeSlot = 12;

/// One instruction in 64 bits, lowest bits first in the order of the members.
struct VectorInstruction {
  UInt<5> operation;
  UInt<3> mode;
  UInt<6> a;
  UInt<6> b;
  UInt<6> c;
  UInt<4> target;  ///< a register
  UInt1 writes;    ///< to the target
  UInt<3> out;     ///< 0 none, or 1 + the output stream that gets the result
  UInt<2> in;      ///< the input stream of kSourceStream
  UInt1 negate_product;
  UInt1 negate_addend;
  UInt<4> exchange;
};

constexpr VectorInstruction decode_vector(const UInt<64>& word) {
  return {.operation = slice<4, 0>(word),
          .mode = slice<7, 5>(word),
          .a = slice<13, 8>(word),
          .b = slice<19, 14>(word),
          .c = slice<25, 20>(word),
          .target = slice<29, 26>(word),
          .writes = slice<30, 30>(word),
          .out = slice<33, 31>(word),
          .in = slice<35, 34>(word),
          .negate_product = slice<36, 36>(word),
          .negate_addend = slice<37, 37>(word),
          .exchange = slice<41, 38>(word)};
}

}  // namespace systole::kernels
