#include "sim/systemc/device_model.h"

#include "sim/device/native_accelerator.h"
#include "sim/verilator/verilated_accelerators.h"

namespace systole::sim {
namespace {

template <SimulatedDevice Device>
std::unique_ptr<DeviceModel> make(std::unique_ptr<Device> device) {
  return std::make_unique<DeviceModelOf<Device>>(std::move(device));
}

}  // namespace

std::vector<int> model_sizes() {
  return {kVerilatedAccelerators.begin(), kVerilatedAccelerators.end()};
}

std::unique_ptr<DeviceModel> make_native_model(int array_size) {
  return with_verilated_accelerator(array_size, []<typename, int kN>() {
    return make(std::make_unique<NativeAccelerator<kN>>());
  });
}

std::unique_ptr<DeviceModel> make_verilated_model(int array_size) {
  return with_verilated_accelerator(array_size, []<typename Model, int kN>() {
    return make(make_verilated_accelerator<Model, kN>());
  });
}

}  // namespace systole::sim
