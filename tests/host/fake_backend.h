#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/driver/backend.h"
#include "host/driver/device.h"
#include "host/driver/device_memory.h"

namespace systole::tests {

/// A backend that writes down what it is asked and faults on demand. Takes bf16 and int8.
class FakeBackend final : public Backend {
 public:
  FakeBackend();

  const DeviceInfo& info() const override { return info_; }
  bool supports(DataType type) const override { return type != DataType::kFp32; }
  std::uint64_t allocate(std::int64_t size_bytes) override;
  void free(std::uint64_t address) override;
  void write(std::uint64_t address, std::span<const std::byte> source) override;
  void read(std::uint64_t address, std::span<std::byte> destination) override;
  void execute(std::span<const Product> products) override;
  Counters counters() const override { return {}; }

  std::vector<std::string> log;      ///< "write 4", "execute 2 x 3 times 3 x 4, bf16", ...
  std::vector<std::size_t> batches;  ///< how many products came together
  int executions_until_fault = -1;   ///< -1: never

  std::size_t live_blocks() const { return memory_.block_count(); }

 private:
  DeviceInfo info_;
  DeviceMemory memory_;
};

/// A device on a fresh FakeBackend, opened by name as a user would, and the backend behind it.
struct FakeDevice {
  Device device;
  std::shared_ptr<FakeBackend> backend;
};
FakeDevice open_fake_device();

}  // namespace systole::tests
