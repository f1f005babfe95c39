// The row kernels for one vector instruction set; compiled once for each, with SYSTOLE_VECTOR_SET
// naming it. Includes nothing with inline functions, for the reason given in vector_kernels.cpp.
// The loops are plain; the compiler vectorises them because they select instead of branching.
#include "sim/model/row_kernels.h"

namespace systole::SYSTOLE_VECTOR_SET {
namespace {

using U16 = std::uint16_t;
using U32 = std::uint32_t;
using I32 = std::int32_t;
using I64 = std::int64_t;

void relu(U32* sums, I64 count) {
  for (I64 i = 0; i < count; ++i) sums[i] = static_cast<I32>(sums[i]) < 0 ? 0 : sums[i];
}

void keep_bf16(const U16* mask, U32* sums, I64 count) {
  for (I64 i = 0; i < count; ++i) {
    // Greater than zero: not zero, not negative, not a NaN.
    const bool is_positive = static_cast<U16>(mask[i] - 1U) < 0x7f80U;
    sums[i] = is_positive ? sums[i] : 0;
  }
}

void keep_int8(const std::int8_t* mask, U32* sums, I64 count) {
  for (I64 i = 0; i < count; ++i) sums[i] = mask[i] > 0 ? sums[i] : 0;
}

/// The upper half of `bits` after adding `up` to round it, and the special cases.
[[gnu::always_inline]] inline U16 rounded(U32 bits, U32 up) {
  const U32 magnitude = bits & 0x7fff'ffffU;
  U32 upper = (bits + up) >> 16;
  upper = magnitude < 0x0080'0000U ? (bits >> 16) & 0x8000U : upper;
  // Infinity's lower half is zero, so it never rounds up; every NaN becomes the one quiet NaN.
  upper = magnitude > 0x7f80'0000U ? 0x7fc0U : upper;
  return static_cast<U16>(upper);
}

void to_bf16(const U32* sums, U16* out, I64 count) {
  for (I64 i = 0; i < count; ++i) out[i] = rounded(sums[i], 0x7fffU + ((sums[i] >> 16) & 1U));
}

void to_bf16_stochastic(const U32* sums, const U32* random, U16* out, I64 count) {
  for (I64 i = 0; i < count; ++i) out[i] = rounded(sums[i], random[i] & 0xffffU);
}

void step_random(U32* states, I64 count) {
  for (I64 i = 0; i < count; ++i) {
    // Sixteen steps of the register: the first ten feed in bits of the old state only, the last six
    // also bits that the first six have fed in.
    const U32 state = states[i];
    const U32 ten = ((state >> 22) ^ (state >> 21) ^ (state >> 20) ^ state) & 0x3ffU;
    const U32 later = state << 10 | ten;
    const U32 six = ((later >> 26) ^ (later >> 25) ^ (later >> 24) ^ (later >> 4)) & 0x3fU;
    states[i] = later << 6 | six;
  }
}

[[gnu::always_inline]] inline U32 flushed(U32 bits) {
  return (bits & 0x7f80'0000U) == 0 ? bits & 0x8000'0000U : bits;
}

void quantize(const U32* sums, U16 bf16_scale, std::int8_t* out, I64 count) {
  const double scale = __builtin_bit_cast(float, flushed(static_cast<U32>(bf16_scale) << 16));
  for (I64 i = 0; i < count; ++i) {
    // 24 bits times 8 are exact in a double, and so is adding a half where the result is not
    // clamped; far below a half, rounding it away changes no floor.
    const double product = static_cast<double>(__builtin_bit_cast(float, flushed(sums[i]))) * scale;
    double nearest = __builtin_floor(product + 0.5);
    nearest = nearest < -128.0 ? -128.0 : nearest;
    nearest = nearest > 127.0 ? 127.0 : nearest;
    nearest = product == product ? nearest : 0.0;
    out[i] = static_cast<std::int8_t>(static_cast<I32>(nearest));
  }
}

void requantize(const U32* int32_sums, U16 scale, int shift, std::int8_t* out, I64 count) {
  const I64 half = shift == 0 ? 0 : I64{1} << (shift - 1);
  for (I64 i = 0; i < count; ++i) {
    I64 nearest = (static_cast<I64>(static_cast<I32>(int32_sums[i])) * scale + half) >> shift;
    nearest = nearest < -128 ? -128 : nearest;
    nearest = nearest > 127 ? 127 : nearest;
    out[i] = static_cast<std::int8_t>(nearest);
  }
}

void int32_to_fp32(const U32* int32_sums, U32* out, I64 count) {
  for (I64 i = 0; i < count; ++i) {
    out[i] = __builtin_bit_cast(U32, static_cast<float>(static_cast<I32>(int32_sums[i])));
  }
}

void from_bf16(const U16* elements, U32* out, I64 count) {
  for (I64 i = 0; i < count; ++i) out[i] = static_cast<U32>(elements[i]) << 16;
}

void from_int8(const std::int8_t* elements, U32* out, I64 count) {
  for (I64 i = 0; i < count; ++i) out[i] = static_cast<U32>(elements[i]);
}

}  // namespace

RowKernels row_kernels() {
  return {.relu = relu,
          .keep_bf16 = keep_bf16,
          .keep_int8 = keep_int8,
          .to_bf16 = to_bf16,
          .to_bf16_stochastic = to_bf16_stochastic,
          .step_random = step_random,
          .quantize = quantize,
          .requantize = requantize,
          .from_bf16 = from_bf16,
          .from_int8 = from_int8,
          .int32_to_fp32 = int32_to_fp32};
}

}  // namespace systole::SYSTOLE_VECTOR_SET
