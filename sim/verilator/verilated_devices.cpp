#include "sim/verilator/verilated_devices.h"

#include <Vaccelerator_models.h>

#include "sim/device/lockstep_device.h"
#include "sim/device/native_accelerator.h"

namespace systole::sim {
namespace {

constexpr wide_accelerator_models* kWide = nullptr;

template <typename Make>
std::unique_ptr<DevicePort> with_model(int array_size, const MemoryBehaviour& behaviour,
                                       Make make) {
  if (is_wide(array_size, behaviour.bus_bytes)) {
    return with_wide<DevicePort>(kWide, array_size, behaviour.bus_bytes, make);
  }
  return with_built<accelerator_models>(array_size, make);
}

}  // namespace

std::span<const int> verilated_device_sizes() { return accelerator_models::kSizes; }

bool has_verilated_device(int array_size, int bus_bytes) {
  return is_wide(array_size, bus_bytes) ? has_wide(kWide, array_size, bus_bytes)
                                        : accelerator_models::has(array_size);
}

std::unique_ptr<DevicePort> make_verilated_device(int array_size, DeviceMemory& memory,
                                                  const MemoryBehaviour& behaviour,
                                                  const HarnessOptions& options) {
  const auto make = [&]<typename Built>() -> std::unique_ptr<DevicePort> {
    return std::make_unique<DeviceHarness<BuiltAccelerator<Built>>>(
        make_built<Built>(options.register_seed), memory, behaviour, options);
  };
  return with_model(array_size, behaviour, make);
}

std::unique_ptr<DevicePort> make_lockstep_device(int array_size, DeviceMemory& memory,
                                                 const MemoryBehaviour& behaviour,
                                                 const HarnessOptions& options) {
  const auto make = [&]<typename Built>() -> std::unique_ptr<DevicePort> {
    using Whole = NativeAccelerator<Built::kN, true, Built::kBus>;
    using Control = ControlAccelerator<Built::kN, Built::kBus>;
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
  return with_model(array_size, behaviour, make);
}

}  // namespace systole::sim
