#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace systole {

/// fp32 to bf16, as the upper half of the fp32's bits.
///
/// Numbers  to nearest, ties to even; beyond the largest bf16 gives infinity; a subnormal fp32
///          gives zero of its sign; every NaN gives the one quiet NaN 0x7fc0
constexpr std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7fff'ffffU;
  const std::uint32_t lowest_kept = (bits >> 16) & 1U;
  std::uint32_t rounded = (bits + 0x7fffU + lowest_kept) >> 16;
  // Selects instead of branches let a loop over a span become vector instructions.
  rounded = magnitude < 0x0080'0000U ? (bits >> 16) & 0x8000U : rounded;
  rounded = magnitude > 0x7f80'0000U ? 0x7fc0U : rounded;
  return static_cast<std::uint16_t>(rounded);
}

/// bf16 to fp32: exact.
constexpr float to_fp32(std::uint16_t bf16) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bf16) << 16);
}

/// The same, element by element.
///
/// Errors   std::invalid_argument when the spans' sizes differ
void convert_to_bf16(std::span<const float> source, std::span<std::uint16_t> destination);
void convert_to_fp32(std::span<const std::uint16_t> source, std::span<float> destination);

}  // namespace systole
