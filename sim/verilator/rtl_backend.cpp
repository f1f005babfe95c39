#include "sim/verilator/rtl_backend.h"

#include <algorithm>
#include <utility>

#include "sim/device/unit_backend.h"
#include "sim/verilator/verilated_models.h"

namespace systole {
namespace {

DeviceInfo rtl_info(const DeviceOptions& options) {
  return {.name = "rtl",
          .description = "the generated RTL, simulated clock by clock by Verilator",
          .array_size = options.array_size,
          .threads = 1,
          .clock_mhz = options.clock_mhz,
          .clock_source = "assumed",
          .cycle_exact = true,
          .bit_exact = true,
          .memory = kSimulatedMemory};
}

std::shared_ptr<Backend> make_rtl(const DeviceOptions& options) {
  return with_verilated_unit(options.array_size, [&]<typename Unit>(std::unique_ptr<Unit> unit) {
    return std::shared_ptr<Backend>(
        std::make_shared<UnitBackend<Unit>>(rtl_info(options), std::move(unit)));
  });
}

}  // namespace

BackendEntry rtl_backend_entry() {
  const std::vector<int> sizes = verilated_sizes();
  DeviceOptions options;
  options.array_size = sizes.back();
  return {.info = rtl_info(options), .array_sizes = sizes, .make = make_rtl};
}

}  // namespace systole
