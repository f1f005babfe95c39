#include "sim/verify/verify_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "sim/device/by_array_size.h"
#include "sim/device/native_devices.h"
#include "sim/verilator/verilated_devices.h"

namespace systole::verify {
namespace {

bool has_rtl(int array_size) {
  return std::ranges::find(sim::verilated_device_sizes(), array_size) !=
         sim::verilated_device_sizes().end();
}

}  // namespace

DeviceMaker verify_device(int array_size) {
  if (has_rtl(array_size)) {
    return [](const Case& which, DeviceMemory& memory) {
      return sim::make_lockstep_device(which.array_size, memory, which.behaviour, which.harness);
    };
  }
  sim::NativeSizes::require(array_size);
  return [](const Case& which, DeviceMemory& memory) {
    return sim::make_native_lockstep_device(which.array_size, memory, which.behaviour,
                                            which.harness);
  };
}

std::string compared_devices(int array_size) {
  if (has_rtl(array_size)) return "native C++, its control alone, RTL and interpreter";
  return fmt::format(
      "native C++, its control alone and interpreter; this build has no {0} x {0} RTL{1}",
      array_size, sim::how_to_build(sim::verilated_device_sizes()));
}

}  // namespace systole::verify
