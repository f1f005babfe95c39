#pragma once

#include "hls/kernels/convert.h"
#include "hls/kernels/engine.h"
#include "hls/kernels/requantize.h"

namespace systole::kernels {

/// Stages of the two functions below, side by side in the store engine.
inline constexpr int kStoreLaneStages = 4;

/// What a store makes of its sums.
struct StoreTask {
  UInt<3> format;  ///< kStoreFormat...
  UInt16 scale;
  UInt<5> shift;
};

/// A sum as an element of one or two bytes.
///
/// Shapes   one element, an int8 in the lower byte; `draw` rounds bf16_stochastic
/// Timing   pure; an array of Pipeline<&store_narrow, kStoreLaneStages>, II = 1
/// Numbers  docs/numerics.md section 4. One multiplier serves both int8 formats
/// Limits   task.format is bf16 where it is no other narrow one
constexpr UInt16 store_narrow(const StoreTask& task, const UInt32& sum, const UInt16& draw) {
  const Fp32 value = Fp32::from_bits(sum);
  const Bf16 float_scale = Bf16::from_bits(task.scale);
  const bool is_from_fp32 = task.format == UInt<3>(kStoreFormatInt8FromFp32);
  const bool is_from_int32 = task.format == UInt<3>(kStoreFormatInt8FromInt32);
  const bool is_stochastic = task.format == UInt<3>(kStoreFormatBf16Stochastic);
  const Int32 factor = is_from_int32 ? as_signed(sum) : Int32(significand(value));
  const Int<17> scale = is_from_int32 ? Int<17>(task.scale) : Int<17>(significand(float_scale));
  // By halves, as a multiplier takes 18 bits: a pipeline may be cut before their sum.
  const Int<34> low = Int<17>(slice<15, 0>(factor)) * scale;
  const Int<33> high = as_signed(slice<31, 16>(factor)) * scale;
  const auto product =
      truncate<Int<49>>(Int<49>(low) + as_signed(concat(as_unsigned(high), UInt16(0))));
  if (is_from_fp32) {
    const ProductRange range = product_range(value, float_scale);
    return UInt16(as_unsigned(quantize_round(slice<31, 0>(product), range)));
  }
  if (is_from_int32) return UInt16(as_unsigned(requantize_round(product, task.shift)));
  return round_to_bf16(value, draw, is_stochastic).bits();
}

/// A sum as an element of four bytes: itself, or an integer as fp32.
///
/// Timing   pure; an array of Pipeline<&store_word, kStoreLaneStages>, II = 1
constexpr UInt32 store_word(const UInt1& to_fp32, const UInt32& sum) {
  return to_fp32 ? int32_to_fp32(as_signed(sum)).bits() : sum;
}

}  // namespace systole::kernels
