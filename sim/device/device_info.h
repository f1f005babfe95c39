#pragma once

#include <string>

#include "host/driver/device.h"

namespace systole::sim {

/// What is said of every simulated accelerator; `name` and `description` are the backend's.
inline DeviceInfo simulated_info(std::string name, std::string description,
                                 const DeviceOptions& options) {
  return {.name = std::move(name),
          .description = std::move(description),
          .array_size = options.array_size,
          .threads = 1,
          .clock_mhz = options.clock_mhz,
          .clock_source = "assumed",
          .cycle_exact = true,
          .bit_exact = true,
          .memory = "AXI4: 64 clocks of latency, N bytes a clock each way"};
}

}  // namespace systole::sim
