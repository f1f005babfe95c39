#include "sim/timeline/recorded_devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>
#include <utility>

#include "sim/device/control_devices.h"
#include "sim/timeline/recorded_accelerator.h"

namespace systole::sim {

std::unique_ptr<DevicePort> make_recorded_device(int array_size, DeviceMemory& memory,
                                                 const MemoryBehaviour& behaviour,
                                                 const HarnessOptions& options,
                                                 ActivityObserver observe) {
  const auto make = [&]<int kN>() -> std::unique_ptr<DevicePort> {
    using Device = RecordedAccelerator<kN>;
    return std::make_unique<DeviceHarness<Device>>(std::make_unique<Device>(std::move(observe)),
                                                   memory, behaviour, options);
  };
  switch (array_size) {
    case 4:
      return make.operator()<4>();
    case 8:
      return make.operator()<8>();
    case 16:
      return make.operator()<16>();
    case 32:
      return make.operator()<32>();
    case 64:
      return make.operator()<64>();
    case 128:
      return make.operator()<128>();
    default:
      throw std::invalid_argument(fmt::format("cannot record a {0} x {0} array: N can be {1}",
                                              array_size, fmt::join(control_sizes(), ", ")));
  }
}

}  // namespace systole::sim
