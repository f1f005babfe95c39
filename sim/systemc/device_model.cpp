// The models of this build. CMake defines SYSTOLE_VERILATED_N for each size.
#include "sim/systemc/device_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "sim/device/native_accelerator.h"
#include "sim/verilator/owned_model.h"
#include "sim/verilator/verilated_accelerator.h"
#ifdef SYSTOLE_VERILATED_4
#include <Vaccelerator_4.h>
#endif
#ifdef SYSTOLE_VERILATED_8
#include <Vaccelerator_8.h>
#endif
#ifdef SYSTOLE_VERILATED_16
#include <Vaccelerator_16.h>
#endif

namespace systole::sim {
namespace {

template <SimulatedDevice Device>
std::unique_ptr<DeviceModel> make(std::unique_ptr<Device> device) {
  return std::make_unique<DeviceModelOf<Device>>(std::move(device));
}

template <int kN>
std::unique_ptr<DeviceModel> native() {
  return make(std::make_unique<NativeAccelerator<kN>>());
}

template <typename Model, int kN>
std::unique_ptr<DeviceModel> verilated() {
  return make(std::make_unique<VerilatedAccelerator<OwnedModel<Model>, kN>>(
      std::make_unique<OwnedModel<Model>>()));
}

[[noreturn]] void refuse(int array_size) {
  throw std::invalid_argument(
      fmt::format("this build has Verilated no accelerator of size {}, but {}: see SYSTOLE_ARRAYS",
                  array_size, fmt::join(model_sizes(), ", ")));
}

}  // namespace

std::vector<int> model_sizes() {
  std::vector<int> sizes;
#ifdef SYSTOLE_VERILATED_4
  sizes.push_back(4);
#endif
#ifdef SYSTOLE_VERILATED_8
  sizes.push_back(8);
#endif
#ifdef SYSTOLE_VERILATED_16
  sizes.push_back(16);
#endif
  return sizes;
}

std::unique_ptr<DeviceModel> make_native_model(int array_size) {
#ifdef SYSTOLE_VERILATED_4
  if (array_size == 4) return native<4>();
#endif
#ifdef SYSTOLE_VERILATED_8
  if (array_size == 8) return native<8>();
#endif
#ifdef SYSTOLE_VERILATED_16
  if (array_size == 16) return native<16>();
#endif
  refuse(array_size);
}

std::unique_ptr<DeviceModel> make_verilated_model(int array_size) {
#ifdef SYSTOLE_VERILATED_4
  if (array_size == 4) return verilated<Vaccelerator_4, 4>();
#endif
#ifdef SYSTOLE_VERILATED_8
  if (array_size == 8) return verilated<Vaccelerator_8, 8>();
#endif
#ifdef SYSTOLE_VERILATED_16
  if (array_size == 16) return verilated<Vaccelerator_16, 16>();
#endif
  refuse(array_size);
}

}  // namespace systole::sim
