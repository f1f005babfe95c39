#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/device/device_map.h"
#include "sim/model/block_kernels.h"

namespace systole {

/// Computes a matmul command's sums on this processor's vector unit.
///
/// Shapes   rows [8192][N] and weights [4096][N] as their buffers hold them, sums [1024][N]; row
///          addresses wrap
/// Timing   rows are repacked for the kernels once for all consecutive commands that use them
/// Numbers  docs/numerics.md: the device's bits
class InterpretedProducts {
 public:
  explicit InterpretedProducts(int array_size);

  void multiply(const device::MatmulShape& shape, const device::Matmul& command,
                std::span<const std::uint16_t> rows, std::span<const std::uint16_t> weights,
                std::span<std::uint32_t> sums);

  /// To be called when the rows buffer has changed.
  void rows_changed() { has_rows_ = false; }

 private:
  using Operands = std::span<const std::uint16_t>;
  void lay_out_rows(const device::MatmulShape& shape, const device::Matmul& command, Operands rows);
  void lay_out_weights(const device::MatmulShape& shape, const device::Matmul& command,
                       Operands weights, std::uint32_t first_col, std::uint32_t width);
  const std::uint16_t* word(Operands buffer, std::uint32_t row) const {
    return &buffer[row % (buffer.size() / lanes_) * lanes_];
  }

  std::uint32_t lanes_;
  const BlockShape& shape_;
  std::uint32_t block_rows_;
  bool has_rows_ = false;
  device::MatmulShape rows_shape_;  // of the rows in a_
  device::Matmul rows_command_;
  std::vector<std::uint32_t> a_;  // panels of block_rows_ rows: [panel][step][row]
  std::vector<std::uint32_t> b_;  // one panel: [step][col]
  std::vector<std::uint32_t> offsets_;
  std::vector<std::uint32_t> c_;
};

}  // namespace systole
