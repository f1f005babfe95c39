#pragma once

#include <chrono>
#include <memory>

#include "host/board/serial_link.h"
#include "host/device/register_device.h"

namespace systole {

/// The accelerator's registers through the link.
///
/// Timing   a request for one register, or for a table of them. The interrupt is asked for again
///          and again
/// Errors   as the link's; wait_for_interrupt throws DeviceError if the device hangs: nothing that
///          counts work has moved for `patience`
class BoardRegisters final : public RegisterDevice {
 public:
  explicit BoardRegisters(std::shared_ptr<SerialLink> link,
                          std::chrono::milliseconds patience = std::chrono::seconds(10))
      : link_(std::move(link)), patience_(patience) {}

  std::uint32_t read_register(device::Register which, int offset = 0) override;
  void write_register(device::Register which, std::uint32_t value, int offset = 0) override;
  void read_registers(device::Register first, std::span<std::uint32_t> values,
                      int offset = 0) override;
  void write_registers(device::Register first, std::span<const std::uint32_t> values,
                       int offset = 0) override;
  void wait_for_interrupt() override;

 private:
  std::shared_ptr<SerialLink> link_;
  std::chrono::milliseconds patience_;
};

}  // namespace systole
