#pragma once

#include <cstdint>
#include <memory>

#include "host/device/program_device.h"
#include "host/device/register_device.h"

namespace systole {

/// Runs programs on a device through its registers: reset, windows, ring, doorbell, interrupt.
///
/// Limits   the ring is as long as the program
/// Errors   the constructor throws DeviceError if no accelerator answers, or one of another
///          version; run throws std::invalid_argument for a program without commands or longer than
///          any ring, DeviceError when a reset does not end
class RegisterDriver final : public ProgramDevice {
 public:
  RegisterDriver(std::shared_ptr<Memory> memory, std::shared_ptr<RegisterDevice> registers);

  const DeviceSizes& sizes() const override { return sizes_; }
  ProgramResult run(const PlacedProgram& program) override;
  Memory& memory() override { return *memory_; }

 private:
  void reset();
  void open_window(int index, std::uint64_t base, std::uint64_t end);
  ProgramResult result();

  std::shared_ptr<Memory> memory_;  // first, to outlive registers_, whose simulation uses it
  std::shared_ptr<RegisterDevice> registers_;
  DeviceSizes sizes_;
};

}  // namespace systole
