#pragma once

#include <cstddef>
#include <cstdint>

#include "host/device/device_map.h"

namespace systole {

/// Elements of a vector stream from memory into lanes of 32 bits.
///
/// Limits   no kHalf, which is written alone
/// Numbers  docs/numerics.md section 8
void to_lanes(device::VectorStreamFormat format, const std::byte* from, std::size_t count,
              std::uint32_t* to);

/// Lanes into elements of a vector stream in memory: bf16 rounded to nearest even, int8 clamped.
void from_lanes(device::VectorStreamFormat format, const std::uint32_t* from, std::size_t count,
                std::byte* to);

}  // namespace systole
