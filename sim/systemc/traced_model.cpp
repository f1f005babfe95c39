#include "sim/systemc/traced_model.h"

#include <utility>

#include "sim/verilator/traced_verilated.h"
#include "sim/verilator/verilated_accelerator.h"

namespace systole::sim {

std::unique_ptr<DeviceModel> make_traced_model(int array_size, TraceWindow window) {
  TracedVerilated::require_size(array_size);
  using Device = VerilatedAccelerator<TracedVerilated, TracedVerilated::kN>;
  return std::make_unique<DeviceModelOf<Device>>(
      std::make_unique<Device>(std::make_unique<TracedVerilated>(std::move(window))));
}

}  // namespace systole::sim
