#include "sim/device/native_devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <stdexcept>
#include <utility>

#include "sim/device/lockstep_device.h"
#include "sim/device/native_accelerator.h"

namespace systole::sim {
namespace {

constexpr std::array kSizes = {4, 8, 16, 32};

template <typename Device>
std::unique_ptr<DevicePort> harness(std::unique_ptr<Device> device, DeviceMemory& memory,
                                    const MemoryBehaviour& behaviour,
                                    const HarnessOptions& options) {
  return std::make_unique<DeviceHarness<Device>>(std::move(device), memory, behaviour, options);
}

/// Calls make.template operator()<kN>() for the size.
template <typename Make>
auto with_size(int array_size, Make make) {
  switch (array_size) {
    case 4:
      return make.template operator()<4>();
    case 8:
      return make.template operator()<8>();
    case 16:
      return make.template operator()<16>();
    case 32:
      return make.template operator()<32>();
    default:
      throw std::invalid_argument(fmt::format("no native accelerator of size {}: there are {}",
                                              array_size, fmt::join(kSizes, ", ")));
  }
}

}  // namespace

std::span<const int> native_sizes() { return kSizes; }

std::unique_ptr<DevicePort> make_native_device(int array_size, DeviceMemory& memory,
                                               const MemoryBehaviour& behaviour,
                                               const HarnessOptions& options) {
  return with_size(array_size, [&]<int kN>() {
    return harness(std::make_unique<NativeAccelerator<kN>>(), memory, behaviour, options);
  });
}

std::unique_ptr<DevicePort> make_native_lockstep_device(int array_size, DeviceMemory& memory,
                                                        const MemoryBehaviour& behaviour,
                                                        const HarnessOptions& options) {
  return with_size(array_size, [&]<int kN>() {
    using Whole = NativeAccelerator<kN>;
    using Control = ControlAccelerator<kN>;
    return harness(std::make_unique<LockstepDevice<Whole, Control>>(
                       std::make_unique<Whole>(), std::make_unique<Control>(),
                       ComparedNames{.first = "native C++", .second = "its control alone"}),
                   memory, behaviour, options);
  });
}

}  // namespace systole::sim
