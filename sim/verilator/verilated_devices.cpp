#include "sim/verilator/verilated_devices.h"

#include "sim/device/lockstep_device.h"
#include "sim/device/native_accelerator.h"
#include "sim/verilator/verilated_accelerators.h"

namespace systole::sim {

std::span<const int> verilated_device_sizes() { return kVerilatedAccelerators; }

std::unique_ptr<DevicePort> make_verilated_device(int array_size, DeviceMemory& memory,
                                                  const MemoryBehaviour& behaviour,
                                                  const HarnessOptions& options) {
  const auto make = [&]<typename Model, int kN>() -> std::unique_ptr<DevicePort> {
    using Device = VerilatedAccelerator<OwnedModel<Model>, kN>;
    return std::make_unique<DeviceHarness<Device>>(
        make_verilated_accelerator<Model, kN>(options.register_seed), memory, behaviour, options);
  };
  return with_verilated_accelerator(array_size, make);
}

std::unique_ptr<DevicePort> make_lockstep_device(int array_size, DeviceMemory& memory,
                                                 const MemoryBehaviour& behaviour,
                                                 const HarnessOptions& options) {
  const auto make = [&]<typename Model, int kN>() -> std::unique_ptr<DevicePort> {
    using Whole = NativeAccelerator<kN>;
    using Control = ControlAccelerator<kN>;
    using Native = LockstepDevice<Whole, Control>;
    using Device = LockstepDevice<Native, VerilatedAccelerator<OwnedModel<Model>, kN>>;
    auto native = std::make_unique<Native>(
        std::make_unique<Whole>(), std::make_unique<Control>(),
        ComparedNames{.first = "native C++", .second = "its control alone"});
    return std::make_unique<DeviceHarness<Device>>(
        std::make_unique<Device>(std::move(native),
                                 make_verilated_accelerator<Model, kN>(options.register_seed),
                                 ComparedNames{.first = "native C++", .second = "the RTL"}),
        memory, behaviour, options);
  };
  return with_verilated_accelerator(array_size, make);
}

}  // namespace systole::sim
