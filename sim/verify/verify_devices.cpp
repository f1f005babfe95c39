#include "sim/verify/verify_devices.h"

#include <fmt/format.h>

#include <string_view>

#include "sim/device/built_sizes.h"
#include "sim/device/native_devices.h"
#include "sim/verilator/verilated_devices.h"

namespace systole::verify {

DeviceMaker verify_device(int array_size, int bus_bytes) {
  if (sim::has_verilated_device(array_size, bus_bytes)) {
    return [](const Case& which, DeviceMemory& memory) {
      return sim::make_lockstep_device(which.array_size, memory, which.behaviour, which.harness);
    };
  }
  sim::BuiltNativeSizes::visit(array_size, [&]<typename Size>() {
    sim::visit_bus<Size, sim::kWidestNative>(bus_bytes, []<typename>() {});
  });
  return [](const Case& which, DeviceMemory& memory) {
    return sim::make_native_lockstep_device(which.array_size, memory, which.behaviour,
                                            which.harness);
  };
}

std::string compared_devices(int array_size, int bus_bytes) {
  if (sim::has_verilated_device(array_size, bus_bytes))
    return "native C++, its control alone, RTL and interpreter";
  constexpr std::string_view kWithout =
      "native C++, its control alone and interpreter; this build has no";
  if (bus_bytes != 0 && bus_bytes != array_size) {
    return fmt::format("{0} {1} x {1} RTL with a bus of {2} bytes", kWithout, array_size,
                       bus_bytes);
  }
  return fmt::format("{0} {1} x {1} RTL{2}", kWithout, array_size,
                     sim::how_to_build(sim::verilated_device_sizes()));
}

}  // namespace systole::verify
