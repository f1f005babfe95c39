#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace systole::reference {

/// What becomes of a row of sums on its way to memory: the words of device.md, with their numbers.
struct StoredFormat {
  int format = 0;  ///< 0 word32, 1 bf16, 2 bf16_stochastic, 3 int8_from_fp32, 4 int8_from_int32,
                   ///< 5 fp32_from_int32
  bool relu = false;
  bool masked = false;
  std::uint16_t scale = 0;
  int shift = 0;
};

/// The oracle of hls/kernels/store_engine and vector_lanes, row by row: the bytes of the first
/// `cols` elements.
///
/// Shapes   sums[N]; bit n of `mask` is lane n's; random[N], one state a lane, moves on for
///          bf16_stochastic
/// Numbers  docs/accelerator.md, docs/numerics.md section 4
std::vector<std::uint8_t> stored_row(const StoredFormat& format,
                                     std::span<const std::uint32_t> sums, std::uint64_t mask,
                                     int cols, std::span<std::uint32_t> random);

/// A seed's states, one a lane.
void seed_lanes(std::uint32_t seed, std::span<std::uint32_t> random);

}  // namespace systole::reference
