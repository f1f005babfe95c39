#include "sim/timeline/recorded_devices.h"

#include <utility>

#include "sim/device/built_sizes.h"
#include "sim/timeline/recorded_accelerator.h"

namespace systole::sim {

std::unique_ptr<DevicePort> make_recorded_device(int array_size, DeviceMemory& memory,
                                                 const MemoryBehaviour& behaviour,
                                                 const HarnessOptions& options,
                                                 ActivityObserver observe) {
  const auto make = [&]<typename Sized>() -> std::unique_ptr<DevicePort> {
    using Device = RecordedAccelerator<Sized::kN, Sized::kBus>;
    return std::make_unique<DeviceHarness<Device>>(std::make_unique<Device>(std::move(observe)),
                                                   memory, behaviour, options);
  };
  return BuiltControlSizes::visit(array_size, [&]<typename Size>() {
    return visit_bus<Size, kWidestControl>(behaviour.bus_bytes, make);
  });
}

}  // namespace systole::sim
