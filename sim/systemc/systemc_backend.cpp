#include "sim/systemc/systemc_backend.h"

#include <memory>
#include <utility>

#include "host/device/accelerator_backend.h"
#include "host/device/device_memory.h"
#include "host/device/register_driver.h"
#include "sim/device/by_array_size.h"
#include "sim/device/device_info.h"
#include "sim/systemc/systemc_device.h"

namespace systole {
namespace {

DeviceInfo systemc_info(const DeviceOptions& options) {
  return sim::simulated_info(
      "systemc", "RTL and HLS C++ side by side in SystemC, every signal compared and checked",
      options);
}

std::shared_ptr<Backend> make_systemc(const DeviceOptions& options) {
  auto memory = sim::device_memory(options);
  auto port = sim::make_systemc_device(options.array_size, *memory, sim::memory_behaviour(options));
  auto device = std::make_unique<RegisterDriver>(std::move(memory), std::move(port));
  return std::make_shared<AcceleratorBackend>(systemc_info(options), std::move(device),
                                              options.buffers);
}

}  // namespace

BackendEntry systemc_backend_entry() {
  const std::vector<int> sizes = sim::model_sizes();
  DeviceOptions options;
  options.array_size = sizes.back();
  return {.info = systemc_info(options),
          .array_sizes = sizes,
          .other_sizes = sim::how_to_build(sizes),
          .make = make_systemc};
}

}  // namespace systole
