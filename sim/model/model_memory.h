#pragma once

#include "host/device/device_memory.h"
#include "sim/device/windowed_memory.h"

namespace systole {

/// A simulated device's memory as a program sees it.
class ModelMemory final : public ProgramMemory {
 public:
  explicit ModelMemory(DeviceMemory& memory) : memory_(&memory) {}
  std::byte* locate(std::uint64_t address, std::int64_t size_bytes) override {
    return memory_->find(address, static_cast<std::uint64_t>(size_bytes));
  }

 private:
  DeviceMemory* memory_;
};

}  // namespace systole
