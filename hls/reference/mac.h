#pragma once

#include <cstdint>

namespace systole::reference {

/// The oracle of hls/kernels/mac: activation * weight + sum, on bit patterns.
///
/// Shapes   scalars; bf16 operands with an fp32 sum, int8 operands with an int32 sum
/// Numbers  docs/numerics.md section 1: one rounding for bf16, modulo 2^32 for int8
std::uint32_t mac_bf16(std::uint16_t activation, std::uint16_t weight, std::uint32_t sum);
std::int32_t mac_int8(std::int8_t activation, std::int8_t weight, std::int32_t sum);

/// The oracle of hls/kernels/accumulate: accumulator + tile_sum.
///
/// Numbers  docs/numerics.md section 2
std::uint32_t add_fp32(std::uint32_t accumulator, std::uint32_t tile_sum);
std::int32_t add_int32(std::int32_t accumulator, std::int32_t tile_sum);

}  // namespace systole::reference
