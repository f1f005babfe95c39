#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "host/device/device_map.h"
#include "host/device/device_memory.h"
#include "host/device/product.h"
#include "sim/device/device_port.h"

namespace systole::tests {

/// A memory with random bf16 operands and room for a product C[rows, cols] = A[rows, depth] B.
struct ProductCase {
  ProductCase(std::int64_t rows, std::int64_t depth, std::int64_t cols, std::uint64_t seed);

  std::vector<std::uint32_t> result();

  DeviceMemory memory;
  Product product;
  std::uint64_t ring = 0;
  std::uint64_t end = 0;  ///< the end of the last block
};

/// A device's results.
struct ProductOutcome {
  device::FaultCode fault = device::FaultCode::kNone;
  std::uint64_t fault_address = 0;
  std::array<std::uint64_t, device::kCounters> counters{};
  std::uint64_t clocks = 0;
};

/// Runs the case's program through the device's registers; `window_end` is the end of the window
/// with operands and result.
ProductOutcome run_product(ProductCase& which, sim::DevicePort& port, int array_size,
                           std::uint64_t window_end);

}  // namespace systole::tests
