#include "sim/device/control_devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <stdexcept>

#include "sim/device/native_accelerator.h"

namespace systole::sim {
namespace {

constexpr std::array kSizes = {4, 8, 16, 32, 64, 128};

template <int kN>
std::unique_ptr<DevicePort> make(DeviceMemory& memory, const MemoryBehaviour& behaviour,
                                 const HarnessOptions& options) {
  return std::make_unique<DeviceHarness<ControlAccelerator<kN>>>(
      std::make_unique<ControlAccelerator<kN>>(), memory, behaviour, options);
}

}  // namespace

std::span<const int> control_sizes() { return kSizes; }

std::unique_ptr<DevicePort> make_control_device(int array_size, DeviceMemory& memory,
                                                const MemoryBehaviour& behaviour,
                                                const HarnessOptions& options) {
  switch (array_size) {
    case 4:
      return make<4>(memory, behaviour, options);
    case 8:
      return make<8>(memory, behaviour, options);
    case 16:
      return make<16>(memory, behaviour, options);
    case 32:
      return make<32>(memory, behaviour, options);
    case 64:
      return make<64>(memory, behaviour, options);
    case 128:
      return make<128>(memory, behaviour, options);
    default:
      throw std::invalid_argument(
          fmt::format("cannot count clocks of a {0} x {0} array: N can be {1}", array_size,
                      fmt::join(kSizes, ", ")));
  }
}

}  // namespace systole::sim
