#include "sim/device/control_device.h"

#include "sim/device/native_accelerator.h"

namespace systole::sim {

template <int kN, int kBus>
std::unique_ptr<DevicePort> make_sized_control_device(DeviceMemory& memory,
                                                      const MemoryBehaviour& behaviour,
                                                      const HarnessOptions& options) {
  using Device = ControlAccelerator<kN, kBus>;
  return std::make_unique<DeviceHarness<Device>>(std::make_unique<Device>(), memory, behaviour,
                                                 options);
}

template std::unique_ptr<DevicePort>
make_sized_control_device<SYSTOLE_ARRAY_SIZE, SYSTOLE_BUS_BYTES>(DeviceMemory&,
                                                                 const MemoryBehaviour&,
                                                                 const HarnessOptions&);

}  // namespace systole::sim
