#include "sim/systemc/traced_model.h"

#include <utility>

#include "sim/verilator/traced_accelerator.h"

namespace systole::sim {

std::unique_ptr<DeviceModel> make_traced_model(int array_size, TraceWindow window) {
  const auto model = []<typename Device>(std::unique_ptr<Device> device) {
    return std::unique_ptr<DeviceModel>(std::make_unique<DeviceModelOf<Device>>(std::move(device)));
  };
  return with_traced_accelerator(array_size, std::move(window), model);
}

}  // namespace systole::sim
