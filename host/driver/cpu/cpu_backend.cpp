#include "host/driver/cpu/cpu_backend.h"

#include "host/driver/backend.h"
#include "host/driver/cpu/cpu_matmul.h"
#include "host/driver/device_memory.h"

namespace systole {
namespace {

DeviceInfo cpu_info(int threads) {
  DeviceInfo info;
  info.name = "cpu";
  info.description = "this processor through Eigen; the baseline, not bit-exact to the device";
  info.threads = threads;
  return info;
}

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(const DeviceOptions& options)
      : info_(cpu_info(options.threads)), matmul_(options.threads) {}

  const DeviceInfo& info() const override { return info_; }
  bool supports(DataType) const override { return true; }

  std::uint64_t allocate(std::int64_t size_bytes) override { return memory_.allocate(size_bytes); }
  void free(std::uint64_t address) override { memory_.free(address); }
  void write(std::uint64_t address, std::span<const std::byte> source) override {
    memory_.write(address, source);
  }
  void read(std::uint64_t address, std::span<std::byte> destination) override {
    memory_.read(address, destination);
  }

  void execute(const Matmul& product) override {
    switch (product.type) {
      case DataType::kFp32:
        matmul_.fp32(product, a<float>(product), b<float>(product), c<float>(product));
        break;
      case DataType::kBf16:
        matmul_.bf16(product, a<std::uint16_t>(product), b<std::uint16_t>(product),
                     c<float>(product));
        break;
      case DataType::kInt8:
        matmul_.int8(product, a<std::int8_t>(product), b<std::int8_t>(product),
                     c<std::int32_t>(product));
        break;
    }
    counters_.products += 1;
    counters_.macs += static_cast<std::uint64_t>(product.rows) *
                      static_cast<std::uint64_t>(product.depth) *
                      static_cast<std::uint64_t>(product.cols);
  }

  Counters counters() const override { return counters_; }

 private:
  template <typename T>
  std::span<const T> a(const Matmul& product) {
    return memory_.elements<T>(product.a.address(), product.rows * product.depth);
  }
  template <typename T>
  std::span<const T> b(const Matmul& product) {
    return memory_.elements<T>(product.b.address(), product.depth * product.cols);
  }
  template <typename T>
  std::span<T> c(const Matmul& product) {
    return memory_.elements<T>(product.c.address(), product.rows * product.cols);
  }

  DeviceInfo info_;
  CpuMatmul matmul_;
  DeviceMemory memory_;
  Counters counters_;
};

}  // namespace

BackendEntry cpu_backend_entry() {
  return {.info = cpu_info(1), .array_sizes = {}, .make = [](const DeviceOptions& options) {
            return std::make_shared<CpuBackend>(options);
          }};
}

}  // namespace systole
