#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "host/driver/backend.h"
#include "host/driver/device_memory.h"

namespace systole {

/// DeviceInfo::memory of the simulated devices, until the accelerator with its own memory exists.
inline constexpr const char* kSimulatedMemory = "ideal: every port of the array fed on every clock";

/// What the backends of the simulated device share: memory, counters, and where operands lie.
/// A subclass says how a product is computed and what it cost.
class SimulatedBackend : public Backend {
 public:
  explicit SimulatedBackend(DeviceInfo info) : info_(std::move(info)) {}

  const DeviceInfo& info() const final { return info_; }
  bool supports(DataType type) const final { return type != DataType::kFp32; }
  std::uint64_t allocate(std::int64_t size_bytes) final { return memory_.allocate(size_bytes); }
  void free(std::uint64_t address) final { memory_.free(address); }
  void write(std::uint64_t address, std::span<const std::byte> source) final {
    memory_.write(address, source);
  }
  void read(std::uint64_t address, std::span<std::byte> destination) final {
    memory_.read(address, destination);
  }
  Counters counters() const final { return counters_; }

  void execute(std::span<const Product> products) final {
    for (std::size_t i = 0; i < products.size(); ++i) {
      const Epilogue& epilogue = products[i].epilogue;
      if (epilogue.bias || epilogue.mask || epilogue.relu || epilogue.column_sums ||
          epilogue.result != ResultType::kSums) {
        throw DeviceError("the bare matrix unit has no vector unit behind it", i);
      }
      execute(products[i].matmul);
    }
  }

 protected:
  void execute(const Matmul& product) {
    const MatmulSizes sizes = matmul_sizes(product);
    counters_ += multiply(
        product, memory_.elements<std::byte>(product.a.address(), sizes.a_bytes),
        memory_.elements<std::byte>(product.b.address(), sizes.b_bytes),
        memory_.elements<std::uint32_t>(product.c.address(), sizes.c_bytes / kSumSizeBytes));
  }

  /// Computes C from the bytes of A and B, and returns what that took on the device.
  virtual Counters multiply(const Matmul& product, std::span<const std::byte> a,
                            std::span<const std::byte> b, std::span<std::uint32_t> c) = 0;

 private:
  DeviceInfo info_;
  DeviceMemory memory_;
  Counters counters_;
};

}  // namespace systole
