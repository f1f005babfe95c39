#include "host/device/cpu_backend.h"

#include <stdexcept>

#include "host/device/backend.h"
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
  explicit CpuBackend(const DeviceOptions& options) : info_(cpu_info(options.threads)) {}

  const DeviceInfo& info() const override { return info_; }
  bool supports(DataType) const override { return true; }

  Memory& memory() override { return memory_; }

  std::optional<DeviceSizes> sizes() const override { return std::nullopt; }
  void run(const PlacedProgram&) override {
    throw std::invalid_argument("device 'cpu' runs no programs: use model or rtl");
  }
  Counters counters() const override { return {}; }

 private:
  DeviceInfo info_;
  DeviceMemory memory_;
};

}  // namespace

BackendEntry cpu_backend_entry() {
  return {.info = cpu_info(1), .array_sizes = {}, .make = [](const DeviceOptions& options) {
            return std::make_shared<CpuBackend>(options);
          }};
}

}  // namespace systole
