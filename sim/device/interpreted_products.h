#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/driver/device_map.h"
#include "sim/model/block_kernels.h"

namespace systole {

/// A matmul command's sums, computed by the vector unit of this processor.
///
/// Shapes   rows [8192][N] and weights [4096][N] as their buffers hold them, sums [1024][N]; row
///          addresses wrap
/// Numbers  docs/numerics.md: the device's bits
class InterpretedProducts {
 public:
  explicit InterpretedProducts(int array_size) : size_(array_size) {}

  void multiply(const device::MatmulShape& shape, const device::Matmul& command,
                std::span<const std::uint16_t> rows, std::span<const std::uint16_t> weights,
                std::span<std::uint32_t> sums);

 private:
  using Operands = std::span<const std::uint16_t>;
  std::uint16_t activation(const device::MatmulShape& shape, const device::Matmul& command,
                           Operands rows, std::uint32_t row, std::uint32_t depth) const;
  std::uint16_t weight(const device::MatmulShape& shape, const device::Matmul& command,
                       Operands weights, std::uint32_t depth, std::uint32_t col) const;

  int size_;
  std::vector<std::uint32_t> a_, b_, c_;
};

}  // namespace systole
