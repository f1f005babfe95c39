#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "host/driver/device_memory.h"
#include "host/driver/register_device.h"
#include "sim/device/device_port.h"

namespace systole::sim {

/// A simulated accelerator and its memory, as a driver meets them.
///
/// Limits   `memory` is the memory that `port` was made with
class PortDevice final : public RegisterDevice {
 public:
  PortDevice(std::shared_ptr<DeviceMemory> memory, std::shared_ptr<DevicePort> port)
      : memory_(std::move(memory)), port_(std::move(port)) {}

  std::uint32_t read_register(std::uint16_t offset) override {
    return port_->read_register(static_cast<device::Register>(offset));
  }
  void write_register(std::uint16_t offset, std::uint32_t value) override {
    port_->write_register(static_cast<device::Register>(offset), value);
  }
  void wait_for_interrupt() override { port_->wait_for_interrupt(); }

  std::uint64_t allocate(std::int64_t size_bytes) override { return memory_->allocate(size_bytes); }
  void free(std::uint64_t address) override { memory_->free(address); }
  void write_memory(std::uint64_t address, std::span<const std::byte> source) override {
    memory_->write(address, source);
  }
  void read_memory(std::uint64_t address, std::span<std::byte> destination) override {
    memory_->read(address, destination);
  }

 private:
  std::shared_ptr<DeviceMemory> memory_;  // first, so that it outlives the port
  std::shared_ptr<DevicePort> port_;
};

}  // namespace systole::sim
