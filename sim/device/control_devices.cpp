#include "sim/device/control_devices.h"

#include "sim/device/built_sizes.h"
#include "sim/device/native_accelerator.h"

namespace systole::sim {

std::span<const int> control_sizes() { return BuiltControlSizes::kSizes; }

std::unique_ptr<DevicePort> make_control_device(int array_size, DeviceMemory& memory,
                                                const MemoryBehaviour& behaviour,
                                                const HarnessOptions& options) {
  return BuiltControlSizes::visit(array_size, [&]<typename Size>() -> std::unique_ptr<DevicePort> {
    return visit_bus<Size, kWidestControl>(
        behaviour.bus_bytes, [&]<typename Sized>() -> std::unique_ptr<DevicePort> {
          using Device = ControlAccelerator<Sized::kN, Sized::kBus>;
          return std::make_unique<DeviceHarness<Device>>(std::make_unique<Device>(), memory,
                                                         behaviour, options);
        });
  });
}

}  // namespace systole::sim
