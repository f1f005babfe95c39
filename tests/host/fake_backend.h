#pragma once

#include <optional>
#include <stdexcept>

#include "host/device/backend.h"
#include "host/device/device.h"
#include "host/device/device_memory.h"

namespace systole::tests {

/// A backend that multiplies bf16 and int8 and runs no programs.
class FakeBackend final : public Backend {
 public:
  FakeBackend() { info_.name = "fake"; }

  const DeviceInfo& info() const override { return info_; }
  bool supports(DataType type) const override { return type != DataType::kFp32; }
  Memory& memory() override { return memory_; }
  std::optional<DeviceSizes> sizes() const override { return std::nullopt; }
  void run(const PlacedProgram&) override { throw std::invalid_argument("runs no programs"); }
  Counters counters() const override { return {}; }

 private:
  DeviceInfo info_;
  DeviceMemory memory_;
};

/// A device on a new FakeBackend, opened by name as a user would.
Device open_fake_device();

}  // namespace systole::tests
