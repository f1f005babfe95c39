#include "sim/verify/verify_devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "sim/device/native_devices.h"

namespace systole::verify {

DeviceMaker verify_device(int array_size) {
  const auto sizes = sim::native_sizes();
  if (std::find(sizes.begin(), sizes.end(), array_size) == sizes.end()) {
    throw std::invalid_argument(
        fmt::format("no accelerator of size {}: there are {}", array_size, fmt::join(sizes, ", ")));
  }
  return [](const Case& which, DeviceMemory& memory) {
    return sim::make_native_device(which.array_size, memory, which.behaviour, which.harness);
  };
}

std::string compared_devices(int) { return "native C++ and interpreter"; }

}  // namespace systole::verify
