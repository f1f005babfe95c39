#include "sim/device/control_devices.h"

#include "sim/device/by_array_size.h"
#include "sim/device/native_accelerator.h"

namespace systole::sim {

std::span<const int> control_sizes() { return ControlSizes::kSizes; }

std::unique_ptr<DevicePort> make_control_device(int array_size, DeviceMemory& memory,
                                                const MemoryBehaviour& behaviour,
                                                const HarnessOptions& options) {
  const auto make = [&]<typename Sized>() -> std::unique_ptr<DevicePort> {
    using Device = ControlAccelerator<Sized::kN, Sized::kBus>;
    return std::make_unique<DeviceHarness<Device>>(std::make_unique<Device>(), memory, behaviour,
                                                   options);
  };
  return ControlSizes::visit(array_size, [&]<typename Size>() {
    return visit_bus<Size, kWidestControl>(behaviour.bus_bytes, make);
  });
}

}  // namespace systole::sim
