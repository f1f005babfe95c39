#include "sim/verilator/traced_devices.h"

#include <utility>

#include "sim/verilator/traced_accelerator.h"

namespace systole::sim {

std::span<const int> traced_device_sizes() { return traced_accelerator_models::kSizes; }

std::unique_ptr<DevicePort> make_traced_device(int array_size, DeviceMemory& memory,
                                               TraceWindow window, const MemoryBehaviour& behaviour,
                                               const HarnessOptions& options) {
  const auto harness = [&]<typename Device>(std::unique_ptr<Device> device) {
    return std::unique_ptr<DevicePort>(
        std::make_unique<DeviceHarness<Device>>(std::move(device), memory, behaviour, options));
  };
  return with_traced_accelerator(array_size, std::move(window), harness);
}

}  // namespace systole::sim
