#include "host/device/cpu/cpu_backend.h"

#include <vector>

#include "host/device/backend.h"
#include "host/device/cpu/cpu_epilogue.h"
#include "host/device/cpu/cpu_matmul.h"
#include "host/device/device_memory.h"

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

  Memory& memory() override { return memory_; }

  void execute(std::span<const Product> products) override {
    for (const Product& product : products) execute(product);
  }

  std::optional<DeviceSizes> sizes() const override { return std::nullopt; }
  void run(const PlacedProgram&) override {
    throw std::invalid_argument("device 'cpu' runs no programs: use model or rtl");
  }
  Counters counters() const override { return counters_; }

 private:
  template <typename T>
  std::span<T> elements(std::uint64_t address, std::int64_t count) {
    return memory_.elements<T>(address, count);
  }

  void execute(const Product& product) {
    const std::int64_t count = product.rows * product.cols;
    const bool rounds = product.format == device::StoreFormat::kBf16;
    if (rounds) sums_.resize(count);
    const std::span<std::uint32_t> sums =
        rounds ? std::span(sums_) : elements<std::uint32_t>(product.c, count);
    Product shape = product;
    if (product.bias != 0) {
      start_from_bias(elements<const std::uint32_t>(product.bias, product.cols), sums);
      shape.accumulate = true;
    }
    multiply(shape, sums);
    if (product.relu) apply_relu(sums, product.type != DataType::kInt8);
    if (product.mask != 0) apply_mask(product, sums);
    if (rounds) round_to_bf16(sums, elements<std::uint16_t>(product.c, count));
    if (product.column_sums != 0) sum_columns(product);
    counters_.products += 1;
    counters_.macs += product.macs();
  }

  void multiply(const Product& product, std::span<std::uint32_t> sums) {
    const std::int64_t a_count = product.rows * product.depth;
    const std::int64_t b_count = product.depth * product.cols;
    const std::span c(reinterpret_cast<float*>(sums.data()), sums.size());
    switch (product.type) {
      case DataType::kFp32:
        matmul_.fp32(product, elements<const float>(product.a, a_count),
                     elements<const float>(product.b, b_count), c);
        break;
      case DataType::kBf16:
        matmul_.bf16(product, elements<const std::uint16_t>(product.a, a_count),
                     elements<const std::uint16_t>(product.b, b_count), c);
        break;
      case DataType::kInt8:
        matmul_.int8(product, elements<const std::int8_t>(product.a, a_count),
                     elements<const std::int8_t>(product.b, b_count),
                     std::span(reinterpret_cast<std::int32_t*>(sums.data()), sums.size()));
        break;
    }
  }

  void apply_mask(const Product& product, std::span<std::uint32_t> sums) {
    const auto count = static_cast<std::int64_t>(sums.size());
    switch (product.mask_type) {
      case DataType::kFp32:
        return keep_positive(elements<const float>(product.mask, count), sums);
      case DataType::kBf16:
        return keep_positive(elements<const std::uint16_t>(product.mask, count), sums);
      case DataType::kInt8:
        return keep_positive(elements<const std::int8_t>(product.mask, count), sums);
    }
  }

  void sum_columns(const Product& product) {
    const std::int64_t count = product.depth * product.cols;
    const auto sums = elements<std::uint32_t>(product.column_sums, product.cols);
    switch (product.type) {
      case DataType::kFp32:
        return add_columns(product, elements<const float>(product.b, count), sums);
      case DataType::kBf16:
        return add_columns(product, elements<const std::uint16_t>(product.b, count), sums);
      case DataType::kInt8:
        return add_columns(product, elements<const std::int8_t>(product.b, count), sums);
    }
  }

  DeviceInfo info_;
  CpuMatmul matmul_;
  DeviceMemory memory_;
  Counters counters_;
  std::vector<std::uint32_t> sums_;
};

}  // namespace

BackendEntry cpu_backend_entry() {
  return {.info = cpu_info(1), .array_sizes = {}, .make = [](const DeviceOptions& options) {
            return std::make_shared<CpuBackend>(options);
          }};
}

}  // namespace systole
