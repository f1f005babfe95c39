#include "sim/device/control_device.h"

#include "sim/device/by_array_size.h"
#include "sim/device/native_accelerator.h"

namespace systole::sim {

template <int kN>
std::unique_ptr<DevicePort> make_sized_control_device(DeviceMemory& memory,
                                                      const MemoryBehaviour& behaviour,
                                                      const HarnessOptions& options) {
  const auto make = [&]<typename Sized>() -> std::unique_ptr<DevicePort> {
    using Device = ControlAccelerator<Sized::kN, Sized::kBus>;
    return std::make_unique<DeviceHarness<Device>>(std::make_unique<Device>(), memory, behaviour,
                                                   options);
  };
  return visit_bus<ArraySize<kN>, kWidestControl>(behaviour.bus_bytes, make);
}

template std::unique_ptr<DevicePort> make_sized_control_device<SYSTOLE_ARRAY_SIZE>(
    DeviceMemory&, const MemoryBehaviour&, const HarnessOptions&);

}  // namespace systole::sim
