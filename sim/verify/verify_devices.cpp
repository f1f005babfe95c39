#include "sim/verify/verify_devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "sim/device/native_devices.h"
#ifdef SYSTOLE_HAS_VERILATED_DEVICES
#include "sim/verilator/verilated_devices.h"
#endif

namespace systole::verify {
namespace {

bool has(std::span<const int> sizes, int array_size) {
  return std::find(sizes.begin(), sizes.end(), array_size) != sizes.end();
}

bool has_rtl([[maybe_unused]] int array_size) {
#ifdef SYSTOLE_HAS_VERILATED_DEVICES
  return has(sim::verilated_device_sizes(), array_size);
#else
  return false;
#endif
}

}  // namespace

DeviceMaker verify_device(int array_size) {
#ifdef SYSTOLE_HAS_VERILATED_DEVICES
  if (has_rtl(array_size)) {
    return [](const Case& which, DeviceMemory& memory) {
      return sim::make_lockstep_device(which.array_size, memory, which.behaviour, which.harness);
    };
  }
#endif
  if (!has(sim::native_sizes(), array_size)) {
    throw std::invalid_argument(fmt::format("no accelerator of size {}: there are {}", array_size,
                                            fmt::join(sim::native_sizes(), ", ")));
  }
  return [](const Case& which, DeviceMemory& memory) {
    return sim::make_native_lockstep_device(which.array_size, memory, which.behaviour,
                                            which.harness);
  };
}

std::string compared_devices(int array_size) {
  return has_rtl(array_size)
             ? "native C++, its control alone, RTL and interpreter"
             : "native C++, its control alone and interpreter; this build has no RTL of that size";
}

}  // namespace systole::verify
