#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "host/device/device_map.h"

namespace systole {

/// The registers and the interrupt of an accelerator, on a board or simulated.
///
/// Units    offsets in bytes, added to the register's own: windows and counters are tables of
///          registers. docs/device.md lists them all
/// Timing   register accesses return at once; wait_for_interrupt blocks until the interrupt is
///          raised
/// Errors   DeviceError when the device does not answer or answers with an error
class RegisterDevice {
 public:
  virtual ~RegisterDevice() = default;

  virtual std::uint32_t read_register(device::Register which, int offset = 0) = 0;
  virtual void write_register(device::Register which, std::uint32_t value, int offset = 0) = 0;
  virtual void wait_for_interrupt() = 0;

  /// Registers side by side, in rising order; for a device that is far away, at once.
  virtual void read_registers(device::Register first, std::span<std::uint32_t> values,
                              int offset = 0) {
    for (std::uint32_t& value : values) {
      value = read_register(first, offset);
      offset += 4;
    }
  }
  virtual void write_registers(device::Register first, std::span<const std::uint32_t> values,
                               int offset = 0) {
    for (const std::uint32_t value : values) {
      write_register(first, value, offset);
      offset += 4;
    }
  }

  /// A 64-bit register, low half first: reading it latches the high half.
  std::uint64_t read_wide(device::Register low, int offset = 0) {
    std::array<std::uint32_t, 2> halves{};
    read_registers(low, halves, offset);
    return halves[0] | std::uint64_t{halves[1]} << 32;
  }
  void write_wide(device::Register low, std::uint64_t value, int offset = 0) {
    write_registers(
        low, std::array{static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)},
        offset);
  }

  std::uint64_t read_counter(device::Count which) {
    return read_wide(device::Register::kCounters, 8 * static_cast<int>(which));
  }
  std::array<std::uint64_t, device::kCounters> read_counters() {
    std::array<std::uint32_t, 2 * device::kCounters> halves{};
    read_registers(device::Register::kCounters, halves);
    std::array<std::uint64_t, device::kCounters> counters{};
    for (std::size_t i = 0; i < counters.size(); ++i) {
      counters[i] = halves[2 * i] | std::uint64_t{halves[2 * i + 1]} << 32;
    }
    return counters;
  }
};

}  // namespace systole
