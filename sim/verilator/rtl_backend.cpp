#include "sim/verilator/rtl_backend.h"

#include <memory>
#include <utility>
#include <vector>

#include "host/device/accelerator_backend.h"
#include "host/device/accelerator_line.h"
#include "host/device/device_memory.h"
#include "host/device/register_driver.h"
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
  std::vector<std::shared_ptr<DeviceMemory>> memories;
  std::vector<std::shared_ptr<AcceleratorBackend>> backends;
  for (int core = 0; core < cores; ++core) {
    memories.push_back(sim::device_memory(options));
    backends.push_back(make_rtl_over(memories.back(), options));
  }
  auto line = std::make_unique<sim::SimulatedLine>(
      std::move(memories), threads,
      [options](DeviceMemory& memory, const sim::HarnessOptions& harness) {
        return sim::make_verilated_device(options.array_size, memory,
                                          sim::memory_behaviour(options), harness);
      });
  return std::make_shared<AcceleratorLine>(std::move(backends), std::move(line));
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
