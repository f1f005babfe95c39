#include "sim/systemc/systemc_backend.h"

#include <memory>
#include <utility>

#include "host/device/accelerator_backend.h"
#include "host/device/device_memory.h"
#include "host/device/register_driver.h"
#include "sim/device/accelerator_line.h"
#include "sim/device/by_array_size.h"
#include "sim/device/device_info.h"
#include "sim/device/simulated_line.h"
#include "sim/systemc/systemc_device.h"
#include "sim/systemc/systemc_line.h"

namespace systole {
namespace {

DeviceInfo systemc_info(const DeviceOptions& options) {
  return sim::simulated_info(
      "systemc", "RTL and HLS C++ side by side in SystemC, every signal compared and checked",
      options);
}

std::shared_ptr<AcceleratorBackend> make_systemc_over(std::shared_ptr<DeviceMemory> memory,
                                                      const DeviceOptions& options) {
  auto port = sim::make_systemc_device(options.array_size, *memory, sim::memory_behaviour(options));
  auto device = std::make_unique<RegisterDriver>(std::move(memory), std::move(port));
  return std::make_shared<AcceleratorBackend>(systemc_info(options), std::move(device),
                                              options.buffers);
}

std::shared_ptr<Backend> make_systemc(const DeviceOptions& options) {
  return make_systemc_over(sim::device_memory(options), options);
}

// SystemC has one thread.
std::shared_ptr<BackendLine> make_systemc_line(const DeviceOptions& options, int cores, int) {
  const auto make_line = [&](AcceleratorLine::Memories memories, const DeviceSizes&) {
    return std::make_unique<sim::SimulatedLine>(
        std::move(memories),
        [options](const AcceleratorLine::Memories& of_cores, const LineRanks&) {
          return sim::make_systemc_cores(options.array_size, of_cores,
                                         sim::memory_behaviour(options));
        });
  };
  return std::make_shared<AcceleratorLine>(options, cores, make_systemc_over, make_line);
}

}  // namespace

BackendEntry systemc_backend_entry() {
  const std::vector<int> sizes = sim::model_sizes();
  DeviceOptions options;
  options.array_size = sizes.back();
  return {.info = systemc_info(options),
          .array_sizes = sizes,
          .other_sizes = sim::how_to_build(sizes),
          .make = make_systemc,
          .make_line = make_systemc_line};
}

}  // namespace systole
