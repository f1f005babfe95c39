#pragma once

#include <array>
#include <cstdint>

#include "host/driver/device_map.h"

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

  /// A 64-bit register, low half first: reading it latches the high half.
  std::uint64_t read_wide(device::Register low, int offset = 0) {
    const std::uint64_t half = read_register(low, offset);
    return half | std::uint64_t{read_register(low, offset + 4)} << 32;
  }
  void write_wide(device::Register low, std::uint64_t value, int offset = 0) {
    write_register(low, static_cast<std::uint32_t>(value), offset);
    write_register(low, static_cast<std::uint32_t>(value >> 32), offset + 4);
  }

  std::uint64_t read_counter(device::Count which) {
    return read_wide(device::Register::kCounters, 8 * static_cast<int>(which));
  }
  std::array<std::uint64_t, device::kCounters> read_counters() {
    std::array<std::uint64_t, device::kCounters> counters{};
    for (std::size_t i = 0; i < counters.size(); ++i) {
      counters[i] = read_counter(static_cast<device::Count>(i));
    }
    return counters;
  }
};

}  // namespace systole
