#include "sim/model/model_backend.h"

#include <memory>
#include <utility>
#include <vector>

#include "host/device/accelerator_backend.h"
#include "host/device/device_memory.h"
#include "host/device/register_driver.h"
#include "sim/device/accelerator_line.h"
#include "sim/device/by_array_size.h"
#include "sim/device/control_devices.h"
#include "sim/device/device_info.h"
#include "sim/device/simulated_line.h"
#include "sim/model/model_device.h"
#include "sim/model/model_line.h"

namespace systole {
namespace {

DeviceInfo model_info(const DeviceOptions& options) {
  DeviceInfo info = sim::simulated_info(
      "model",
      "the device's bits from the CPU's vector unit, its clocks from its control's HLS C++",
      options);
  info.threads = options.threads;
  return info;
}

std::shared_ptr<AcceleratorBackend> make_model_over(std::shared_ptr<DeviceMemory> memory,
                                                    const DeviceOptions& options) {
  const sim::MemoryBehaviour behaviour = sim::memory_behaviour(options);
  auto port = sim::make_control_device(options.array_size, *memory, behaviour, {.monitors = false});
  auto clocked = std::make_unique<RegisterDriver>(memory, std::move(port));
  return std::make_shared<AcceleratorBackend>(
      model_info(options),
      std::make_unique<ModelDevice>(options.array_size, options.threads, std::move(memory),
                                    std::move(clocked), behaviour),
      options.buffers);
}

std::shared_ptr<Backend> make_model(const DeviceOptions& options) {
  return make_model_over(sim::device_memory(options), options);
}

std::shared_ptr<BackendLine> make_model_line(const DeviceOptions& options, int cores, int threads) {
  const auto make_line = [&](AcceleratorLine::Memories memories, const DeviceSizes& sizes) {
    const sim::MemoryBehaviour behaviour = sim::memory_behaviour(options);
    // On one thread: cores without a data path take less time than threads that meet every 8
    // clocks.
    auto clocked = std::make_unique<sim::SimulatedLine>(
        memories, 1,
        [options, behaviour](DeviceMemory& memory, const sim::HarnessOptions& harness) {
          return sim::make_control_device(options.array_size, memory, behaviour, harness);
        });
    return std::make_unique<ModelLine>(sizes, threads, std::move(memories), std::move(clocked),
                                       behaviour);
  };
  return std::make_shared<AcceleratorLine>(options, cores, make_model_over, make_line);
}

}  // namespace

BackendEntry model_backend_entry() {
  const auto sizes = sim::control_sizes();
  return {
      .info = model_info({}),
      .array_sizes = std::vector<int>(sizes.begin(), sizes.end()),
      .other_sizes = sim::how_to_build(sizes, sim::ControlSizes::kSizes, "SYSTOLE_MODEL_ARRAYS"),
      .make = make_model,
      .make_line = make_model_line};
}

}  // namespace systole
