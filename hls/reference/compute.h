#pragma once

#include <cstdint>
#include <span>

namespace systole::reference {

/// A `matmul` command and the `matmul_shape` that holds for it; docs/device.md names the fields.
struct ComputeProduct {
  int rows = 1, tiles = 1, last_depth = 1;
  int a_tile_stride = 0, b_tile_stride = 0;
  int a_row = 0, b_row = 0, sum_row = 0;
  bool is_int8 = false, transpose_a = false, transpose_b = false;
  bool accumulate = false, ones_row = false;
};

/// The oracle of hls/kernels/compute_engine: what one product makes of the buffers, as plain loops.
///
/// Shapes   rows and weights: buffers of words of `array_size` lanes, one word after the other;
///          sums: accumulator rows of as many
/// Limits   fields as docs/device.md says; row addresses wrap at each buffer's end
/// Numbers  bit-exact; k ascending in a tile, tiles ascending into the accumulators
void compute(const ComputeProduct& product, int array_size, std::span<const std::uint16_t> rows,
             std::span<const std::uint16_t> weights, std::span<std::uint32_t> sums);

/// The oracle of hls/kernels/turner: element i of word j is element j of word i.
///
/// Shapes   tile: `size` words of `size` elements
void turn(int size, std::span<std::uint16_t> tile);

}  // namespace systole::reference
