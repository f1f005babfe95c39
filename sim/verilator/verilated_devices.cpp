#include "sim/verilator/verilated_devices.h"

#include <Vaccelerator_models.h>

#include "sim/device/lockstep_device.h"
#include "sim/device/native_accelerator.h"

namespace systole::sim {

std::span<const int> verilated_device_sizes() { return accelerator_models::kSizes; }

std::unique_ptr<DevicePort> make_verilated_device(int array_size, DeviceMemory& memory,
                                                  const MemoryBehaviour& behaviour,
                                                  const HarnessOptions& options) {
  const auto make = [&]<typename Built>() -> std::unique_ptr<DevicePort> {
    return std::make_unique<DeviceHarness<BuiltAccelerator<Built>>>(
        make_built<Built>(options.register_seed), memory, behaviour, options);
  };
  return with_built<accelerator_models>(array_size, make);
}

std::unique_ptr<DevicePort> make_lockstep_device(int array_size, DeviceMemory& memory,
                                                 const MemoryBehaviour& behaviour,
                                                 const HarnessOptions& options) {
  const auto make = [&]<typename Built>() -> std::unique_ptr<DevicePort> {
    using Whole = NativeAccelerator<Built::kN>;
    using Control = ControlAccelerator<Built::kN>;
    using Native = LockstepDevice<Whole, Control>;
    using Device = LockstepDevice<Native, BuiltAccelerator<Built>>;
    auto native = std::make_unique<Native>(
        std::make_unique<Whole>(), std::make_unique<Control>(),
        ComparedNames{.first = "native C++", .second = "its control alone"});
    return std::make_unique<DeviceHarness<Device>>(
        std::make_unique<Device>(std::move(native), make_built<Built>(options.register_seed),
                                 ComparedNames{.first = "native C++", .second = "the RTL"}),
        memory, behaviour, options);
  };
  return with_built<accelerator_models>(array_size, make);
}

}  // namespace systole::sim
