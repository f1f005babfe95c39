#include "sim/verilator/rtl_backend.h"

#include <memory>
#include <utility>
#include <vector>

#include "host/device/accelerator_backend.h"
#include "host/device/device_memory.h"
#include "host/device/register_driver.h"
#include "sim/device/accelerator_line.h"
#include "sim/device/by_array_size.h"
#include "sim/device/device_info.h"
#include "sim/device/simulated_line.h"
#include "sim/verilator/verilated_devices.h"

namespace systole {
namespace {

DeviceInfo rtl_info(const DeviceOptions& options) {
  return sim::simulated_info("rtl", "the generated RTL, simulated clock by clock by Verilator",
                             options);
}

std::shared_ptr<AcceleratorBackend> make_rtl_over(std::shared_ptr<DeviceMemory> memory,
                                                  const DeviceOptions& options) {
  auto port = sim::make_verilated_device(options.array_size, *memory,
                                         sim::memory_behaviour(options), {.monitors = false});
  auto device = std::make_unique<RegisterDriver>(std::move(memory), std::move(port));
  return std::make_shared<AcceleratorBackend>(rtl_info(options), std::move(device),
                                              options.buffers);
}

std::shared_ptr<Backend> make_rtl(const DeviceOptions& options) {
  return make_rtl_over(sim::device_memory(options), options);
}

std::shared_ptr<BackendLine> make_rtl_line(const DeviceOptions& options, int cores, int threads) {
  const auto make_device = [options](DeviceMemory& memory, const sim::HarnessOptions& harness) {
    return sim::make_verilated_device(options.array_size, memory, sim::memory_behaviour(options),
                                      harness);
  };
  const auto make_line = [&](AcceleratorLine::Memories memories, const DeviceSizes&) {
    return std::make_unique<sim::SimulatedLine>(std::move(memories), threads, make_device);
  };
  return std::make_shared<AcceleratorLine>(options, cores, make_rtl_over, make_line);
}

}  // namespace

BackendEntry rtl_backend_entry() {
  const auto sizes = sim::verilated_device_sizes();
  DeviceOptions options;
  options.array_size = sizes.back();
  return {.info = rtl_info(options),
          .array_sizes = std::vector<int>(sizes.begin(), sizes.end()),
          .other_sizes = sim::how_to_build(sizes),
          .make = make_rtl,
          .make_line = make_rtl_line};
}

}  // namespace systole
