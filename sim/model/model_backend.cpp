#include "sim/model/model_backend.h"

#include <utility>

#include "sim/device/cycle_count.h"
#include "sim/device/simulated_backend.h"
#include "sim/model/model_matmul.h"

namespace systole {
namespace {

DeviceInfo model_info(const DeviceOptions& options) {
  return {.name = "model",
          .description = "the simulated device at the speed of this processor, cycles by formula",
          .array_size = options.array_size,
          .threads = options.threads,
          .clock_mhz = options.clock_mhz,
          .clock_source = "assumed",
          .cycle_exact = true,
          .bit_exact = true,
          .memory = kSimulatedMemory};
}

class ModelBackend final : public SimulatedBackend {
 public:
  explicit ModelBackend(const DeviceOptions& options)
      : SimulatedBackend(model_info(options)),
        timing_(unit_timing(options.array_size)),
        matmul_(options.array_size, options.threads) {}

 protected:
  Counters multiply(const Matmul& product, std::span<const std::byte> a,
                    std::span<const std::byte> b, std::span<std::uint32_t> c) override {
    matmul_(product, a, b, c);
    const Tiling tiling(product.rows, product.depth, product.cols, timing_.array_size,
                        timing_.bank_rows);
    return count_cycles(tiling, timing_, product.accumulate);
  }

 private:
  UnitTiming timing_;
  ModelMatmul matmul_;
};

}  // namespace

BackendEntry model_backend_entry() {
  return {
      .info = model_info({}),
      .array_sizes = {4, 8, 16, 32, 64, 128},
      .make = [](const DeviceOptions& options) { return std::make_shared<ModelBackend>(options); }};
}

}  // namespace systole
