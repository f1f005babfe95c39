#include "sim/device/control_devices.h"

#include "sim/device/by_array_size.h"
#include "sim/device/control_device.h"

namespace systole::sim {

std::span<const int> control_sizes() { return ControlSizes::kSizes; }

std::unique_ptr<DevicePort> make_control_device(int array_size, DeviceMemory& memory,
                                                const MemoryBehaviour& behaviour,
                                                const HarnessOptions& options) {
  return ControlSizes::visit(array_size, [&]<typename Size>() {
    return visit_bus<Size, kWidestControl>(behaviour.bus_bytes, [&]<typename Sized>() {
      return make_sized_control_device<Sized::kN, Sized::kBus>(memory, behaviour, options);
    });
  });
}

}  // namespace systole::sim
