#include "sim/device/native_devices.h"

#include <utility>

#include "sim/device/built_sizes.h"
#include "sim/device/lockstep_device.h"
#include "sim/device/native_accelerator.h"

namespace systole::sim {
namespace {

template <typename Device>
std::unique_ptr<DevicePort> harness(std::unique_ptr<Device> device, DeviceMemory& memory,
                                    const MemoryBehaviour& behaviour,
                                    const HarnessOptions& options) {
  return std::make_unique<DeviceHarness<Device>>(std::move(device), memory, behaviour, options);
}

}  // namespace

std::unique_ptr<DevicePort> make_native_device(int array_size, DeviceMemory& memory,
                                               const MemoryBehaviour& behaviour,
                                               const HarnessOptions& options) {
  return BuiltNativeSizes::visit(array_size, [&]<typename Size>() {
    return visit_bus<Size, kWidestNative>(behaviour.bus_bytes, [&]<typename Sized>() {
      return harness(std::make_unique<NativeAccelerator<Sized::kN, true, Sized::kBus>>(), memory,
                     behaviour, options);
    });
  });
}

std::unique_ptr<DevicePort> make_native_lockstep_device(int array_size, DeviceMemory& memory,
                                                        const MemoryBehaviour& behaviour,
                                                        const HarnessOptions& options) {
  return BuiltNativeSizes::visit(array_size, [&]<typename Size>() {
    return visit_bus<Size, kWidestNative>(behaviour.bus_bytes, [&]<typename Sized>() {
      using Whole = NativeAccelerator<Sized::kN, true, Sized::kBus>;
      using Control = ControlAccelerator<Sized::kN, Sized::kBus>;
      return harness(std::make_unique<LockstepDevice<Whole, Control>>(
                         std::make_unique<Whole>(), std::make_unique<Control>(),
                         ComparedNames{.first = "native C++", .second = "its control alone"}),
                     memory, behaviour, options);
    });
  });
}

}  // namespace systole::sim
