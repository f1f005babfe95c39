#include "sim/systemc/device_model.h"

#include <Vaccelerator_models.h>

#include "sim/device/native_accelerator.h"

namespace systole::sim {
namespace {

template <SimulatedDevice Device>
std::unique_ptr<DeviceModel> make(std::unique_ptr<Device> device) {
  return std::make_unique<DeviceModelOf<Device>>(std::move(device));
}

}  // namespace

std::vector<int> model_sizes() {
  return {accelerator_models::kSizes.begin(), accelerator_models::kSizes.end()};
}

std::unique_ptr<DeviceModel> make_native_model(int array_size) {
  return with_built<accelerator_models>(array_size, []<typename Built>() {
    return make(std::make_unique<NativeAccelerator<Built::kN>>());
  });
}

std::unique_ptr<DeviceModel> make_verilated_model(int array_size) {
  return with_built<accelerator_models>(array_size,
                                        []<typename Built>() { return make(make_built<Built>()); });
}

}  // namespace systole::sim
