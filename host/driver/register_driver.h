#pragma once

#include <cstdint>
#include <memory>

#include "host/driver/program_device.h"
#include "host/driver/register_device.h"

namespace systole {

/// Runs programs on a device through its registers: reset, windows, ring, doorbell, interrupt.
///
/// Limits   programs of any length: the ring is as long as the program, up to 2^15 commands, and a
///          longer program is rung for piece by piece
/// Errors   the constructor throws DeviceError where no accelerator answers, or one of another
///          version; run throws DeviceError when a reset does not end
class RegisterDriver final : public ProgramDevice {
 public:
  explicit RegisterDriver(std::unique_ptr<RegisterDevice> device);

  DeviceShape shape() const override { return shape_; }
  ProgramResult run(const PlacedProgram& program) override;

  std::uint64_t allocate(std::int64_t size_bytes) override { return device_->allocate(size_bytes); }
  void free(std::uint64_t address) override { device_->free(address); }
  void write_memory(std::uint64_t address, std::span<const std::byte> source) override {
    device_->write_memory(address, source);
  }
  void read_memory(std::uint64_t address, std::span<std::byte> destination) override {
    device_->read_memory(address, destination);
  }

 private:
  std::uint32_t get(device::Register which, int offset = 0);
  std::uint64_t get_wide(device::Register low, int offset = 0);
  void set(device::Register which, std::uint32_t value, int offset = 0);
  void set_wide(device::Register low, std::uint64_t value, int offset = 0);
  void reset();
  void open_window(int index, std::uint64_t base, std::uint64_t end);
  ProgramResult result();

  std::unique_ptr<RegisterDevice> device_;
  DeviceShape shape_;
};

}  // namespace systole
