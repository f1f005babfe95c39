#pragma once

#include <cstdint>

#include "host/device/register_device.h"

namespace systole::sim {

/// An answer on AXI4-Lite: 0 OKAY, 2 SLVERR.
struct LiteAnswer {
  std::uint32_t data = 0;
  int response = 0;
};

/// A simulated accelerator's AXI4-Lite port and interrupt. Clocks pass only inside these functions,
/// so every run repeats exactly.
///
/// Errors   DeviceError if a register answers with an error, and if the device hangs, with its
///          registers and counters; ProtocolError if it breaks the protocol
class DevicePort : public RegisterDevice {
 public:
  /// One access, returning the answer on the bus.
  virtual LiteAnswer read_bus(std::uint16_t offset) = 0;
  virtual LiteAnswer write_bus(std::uint16_t offset, std::uint32_t value, int strobe) = 0;

  virtual bool interrupt() const = 0;

  virtual void run(std::uint64_t clocks) = 0;
  virtual std::uint64_t clocks() const = 0;  ///< since the simulation began

  std::uint32_t read_register(device::Register which, int offset = 0) final;
  void write_register(device::Register which, std::uint32_t value, int offset = 0) final;
};

}  // namespace systole::sim
