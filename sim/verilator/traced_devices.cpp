#include "sim/verilator/traced_devices.h"

#include <utility>

#include "sim/verilator/traced_verilated.h"
#include "sim/verilator/verilated_accelerator.h"

namespace systole::sim {

std::unique_ptr<DevicePort> make_traced_device(int array_size, DeviceMemory& memory,
                                               TraceWindow window,
                                               const MemoryBehaviour& behaviour) {
  TracedVerilated::require_size(array_size);
  using Device = VerilatedAccelerator<TracedVerilated, TracedVerilated::kN>;
  return std::make_unique<DeviceHarness<Device>>(
      std::make_unique<Device>(std::make_unique<TracedVerilated>(std::move(window))), memory,
      behaviour, HarnessOptions{.monitors = false});
}

}  // namespace systole::sim
