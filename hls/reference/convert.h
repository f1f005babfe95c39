#pragma once

#include <cstdint>

namespace systole::reference {

/// The oracles of hls/kernels/convert, beside fp32_to_bf16 and bf16_to_fp32 of fp32.h.
///
/// Numbers  docs/numerics.md section 4
std::uint16_t fp32_to_bf16_stochastic(std::uint32_t fp32_bits, std::uint16_t random);
std::uint32_t random_step(std::uint32_t state);
std::uint32_t int32_to_fp32(std::int32_t value);

/// The oracles of hls/kernels/requantize.
///
/// Limits   shift 0 .. 31
/// Numbers  docs/numerics.md section 4
std::int8_t requantize(std::int32_t sum, std::uint16_t scale, int shift);
std::int8_t quantize(std::uint32_t fp32_value, std::uint16_t bf16_scale);

}  // namespace systole::reference
