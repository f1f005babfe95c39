#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "host/driver/device_map.h"

namespace systole {

/// An accelerator as a host meets it: registers, an interrupt, and its memory. What a board's
/// driver gives and what a simulation gives are the same.
///
/// Units    register offsets and addresses in bytes; docs/device.md lists the registers
/// Timing   registers answer at once; wait_for_interrupt blocks until the interrupt is raised
/// Errors   DeviceError when the device does not answer, memory is full, or an access lies outside
///          what was allocated
class RegisterDevice {
 public:
  virtual ~RegisterDevice() = default;

  virtual std::uint32_t read_register(std::uint16_t offset) = 0;
  virtual void write_register(std::uint16_t offset, std::uint32_t value) = 0;
  virtual void wait_for_interrupt() = 0;

  virtual std::uint64_t allocate(std::int64_t size_bytes) = 0;
  virtual void free(std::uint64_t address) = 0;
  virtual void write_memory(std::uint64_t address, std::span<const std::byte> source) = 0;
  virtual void read_memory(std::uint64_t address, std::span<std::byte> destination) = 0;
};

}  // namespace systole
