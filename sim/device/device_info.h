#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "host/device/device.h"
#include "host/device/device_memory.h"
#include "sim/memory/memory_behaviour.h"

namespace systole::sim {

/// The bytes of a beat on a simulated device's bus.
inline int bus_bytes(const DeviceOptions& options) {
  return options.memory.bus_bytes == 0 ? options.array_size : options.memory.bus_bytes;
}

/// A description of the memory that feeds the array.
inline std::string memory_words(const DeviceOptions& options) {
  const MemoryOptions& memory = options.memory;
  const bool is_bus = memory.bytes_per_cycle == 0 || memory.bytes_per_cycle >= bus_bytes(options);
  const int bytes = is_bus ? bus_bytes(options) : memory.bytes_per_cycle;
  return fmt::format("AXI4: {} clocks of latency, {} bytes a clock each way", memory.latency_cycles,
                     bytes == options.array_size ? "N" : fmt::format("{}", bytes));
}

/// The link that brings batches to a simulated accelerator.
inline Link host_link(const DeviceOptions& options) {
  if (options.host_link.gbit_per_second > 0) return options.host_link;
  return {.gbit_per_second = 8.0 * bus_bytes(options) * options.clock_mhz * 1e-3,
          .latency_us = 1,
          .source = bus_bytes(options) == options.array_size
                        ? "assumed: as wide as the memory port, N bytes a clock"
                        : "assumed: as wide as the memory port"};
}

/// The info of a simulated accelerator; `name` and `description` are the backend's.
inline DeviceInfo simulated_info(std::string name, std::string description,
                                 const DeviceOptions& options) {
  return {.name = std::move(name),
          .description = std::move(description),
          .array_size = options.array_size,
          .threads = 1,
          .clock_mhz = options.clock_mhz,
          .clock_source = options.clock_source,
          .cycle_exact = true,
          .bit_exact = true,
          .memory = memory_words(options),
          .host_link = host_link(options)};
}

/// The memory of a simulated device, empty.
inline std::shared_ptr<DeviceMemory> device_memory(const DeviceOptions& options) {
  return std::make_shared<DeviceMemory>(std::int64_t{options.memory.mib} << 20);
}

/// How the simulated memory answers.
inline MemoryBehaviour memory_behaviour(const DeviceOptions& options) {
  return {.latency = options.memory.latency_cycles,
          .write_latency = options.memory.latency_cycles,
          .bytes_per_cycle = options.memory.bytes_per_cycle,
          .bus_bytes = options.memory.bus_bytes};
}

}  // namespace systole::sim
