#pragma once

#include <cstdint>

namespace systole {

/// The vector unit's operations on a row of sums, in one instruction set; all sets give the same
/// bits.
///
/// Shapes   `count` elements each; out never overlaps an input. `sums` are fp32 bits, or int32 if
///          the name says so
/// Numbers  docs/numerics.md, whatever the thread's treatment of subnormals
struct RowKernels {
  /// What has its sign set becomes +0.
  void (*relu)(std::uint32_t* sums, std::int64_t count);
  /// Where a mask's element is not greater than zero, the sum becomes +0.
  void (*keep_bf16)(const std::uint16_t* mask, std::uint32_t* sums, std::int64_t count);
  void (*keep_int8)(const std::int8_t* mask, std::uint32_t* sums, std::int64_t count);
  void (*to_bf16)(const std::uint32_t* sums, std::uint16_t* out, std::int64_t count);
  /// Each lane's random number is the low half of its element of `random`.
  void (*to_bf16_stochastic)(const std::uint32_t* sums, const std::uint32_t* random,
                             std::uint16_t* out, std::int64_t count);
  void (*step_random)(std::uint32_t* states, std::int64_t count);
  void (*quantize)(const std::uint32_t* sums, std::uint16_t bf16_scale, std::int8_t* out,
                   std::int64_t count);
  void (*requantize)(const std::uint32_t* int32_sums, std::uint16_t scale, int shift,
                     std::int8_t* out, std::int64_t count);
  /// The elements of streams as lanes have them.
  void (*from_bf16)(const std::uint16_t* elements, std::uint32_t* out, std::int64_t count);
  void (*from_int8)(const std::int8_t* elements, std::uint32_t* out, std::int64_t count);
  void (*int32_to_fp32)(const std::uint32_t* int32_sums, std::uint32_t* out, std::int64_t count);
};

/// The HLS C++ itself, element by element.
RowKernels portable_row_kernels();

}  // namespace systole
