#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/device/backend.h"
#include "host/device/device.h"
#include "host/device/device_memory.h"

namespace systole::tests {

/// A backend that logs its calls and faults on demand. Takes bf16 and int8.
class FakeBackend final : public Backend {
 public:
  FakeBackend();

  const DeviceInfo& info() const override { return info_; }
  bool supports(DataType type) const override { return type != DataType::kFp32; }
  Memory& memory() override { return memory_; }
  void execute(std::span<const Product> products) override;
  std::optional<DeviceSizes> sizes() const override { return std::nullopt; }
  void run(const PlacedProgram&) override { throw std::invalid_argument("runs no programs"); }
  Counters counters() const override { return {}; }

  /// "write 4", "execute 2 x 3 times 3 x 4, bf16", ...
  std::vector<std::string> log;
  std::vector<std::size_t> batches;  ///< the number of products in each call
  int executions_until_fault = -1;   ///< -1: never

  std::size_t live_blocks() const { return memory_.bytes.block_count(); }

 private:
  struct LoggedMemory final : Memory {
    explicit LoggedMemory(std::vector<std::string>& lines) : log(lines) {}
    std::uint64_t allocate(std::int64_t size_bytes) override { return bytes.allocate(size_bytes); }
    void free(std::uint64_t address) override { bytes.free(address); }
    void write(std::uint64_t address, std::span<const std::byte> source) override;
    void read(std::uint64_t address, std::span<std::byte> destination) const override;

    std::vector<std::string>& log;
    DeviceMemory bytes;
  };

  DeviceInfo info_;
  LoggedMemory memory_{log};
};

/// A device on a new FakeBackend, opened by name as a user would, and its backend.
struct FakeDevice {
  Device device;
  std::shared_ptr<FakeBackend> backend;
};
FakeDevice open_fake_device();

}  // namespace systole::tests
