#include "sim/verilator/verilated_devices.h"

#include <array>
#include <stdexcept>

#include "sim/device/lockstep_device.h"
#include "sim/device/native_accelerator.h"
#include "sim/verilator/owned_model.h"
#include "sim/verilator/verilated_accelerator.h"
#ifdef SYSTOLE_ACCELERATOR_4
#include <Vaccelerator_4.h>
#endif
#ifdef SYSTOLE_ACCELERATOR_8
#include <Vaccelerator_8.h>
#endif
#ifdef SYSTOLE_ACCELERATOR_16
#include <Vaccelerator_16.h>
#endif

namespace systole::sim {
namespace {

constexpr std::array kSizes = {
#ifdef SYSTOLE_ACCELERATOR_4
    4,
#endif
#ifdef SYSTOLE_ACCELERATOR_8
    8,
#endif
#ifdef SYSTOLE_ACCELERATOR_16
    16,
#endif
};

/// Calls visit.template operator()<Model, kN>() for this size.
template <typename Visitor>
std::unique_ptr<DevicePort> with_model(int array_size, Visitor&& visit) {
#ifdef SYSTOLE_ACCELERATOR_4
  if (array_size == 4) return visit.template operator()<Vaccelerator_4, 4>();
#endif
#ifdef SYSTOLE_ACCELERATOR_8
  if (array_size == 8) return visit.template operator()<Vaccelerator_8, 8>();
#endif
#ifdef SYSTOLE_ACCELERATOR_16
  if (array_size == 16) return visit.template operator()<Vaccelerator_16, 16>();
#endif
  throw std::invalid_argument(
      "this build has Verilated no accelerator of that size; see SYSTOLE_ARRAYS");
}

template <typename Model, int kN>
auto make_model() {
  return std::make_unique<VerilatedAccelerator<OwnedModel<Model>, kN>>(
      std::make_unique<OwnedModel<Model>>());
}

}  // namespace

std::span<const int> verilated_device_sizes() { return kSizes; }

std::unique_ptr<DevicePort> make_verilated_device(int array_size, DeviceMemory& memory,
                                                  const MemoryBehaviour& behaviour,
                                                  const HarnessOptions& options) {
  return with_model(array_size, [&]<typename Model, int kN>() -> std::unique_ptr<DevicePort> {
    using Device = VerilatedAccelerator<OwnedModel<Model>, kN>;
    return std::make_unique<DeviceHarness<Device>>(make_model<Model, kN>(), memory, behaviour,
                                                   options);
  });
}

std::unique_ptr<DevicePort> make_lockstep_device(int array_size, DeviceMemory& memory,
                                                 const MemoryBehaviour& behaviour,
                                                 const HarnessOptions& options) {
  return with_model(array_size, [&]<typename Model, int kN>() -> std::unique_ptr<DevicePort> {
    using Native = NativeAccelerator<kN>;
    using Device = LockstepDevice<Native, VerilatedAccelerator<OwnedModel<Model>, kN>>;
    return std::make_unique<DeviceHarness<Device>>(
        std::make_unique<Device>(std::make_unique<Native>(), make_model<Model, kN>()), memory,
        behaviour, options);
  });
}

}  // namespace systole::sim
