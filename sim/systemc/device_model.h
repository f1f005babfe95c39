#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "sim/device/simulated_device.h"
#include "sim/memory/axi_signals.h"

namespace systole::sim {

/// A SimulatedDevice whose type is known only at run time.
class DeviceModel {
 public:
  virtual ~DeviceModel() = default;
  virtual int array_size() const = 0;
  virtual void reset() = 0;
  virtual void show(FromDevice& from) = 0;
  virtual void clock(const ToDevice& to) = 0;
};

template <SimulatedDevice Device>
class DeviceModelOf final : public DeviceModel {
 public:
  explicit DeviceModelOf(std::unique_ptr<Device> device) : device_(std::move(device)) {}
  int array_size() const override { return Device::kN; }
  void reset() override { device_->reset(); }
  void show(FromDevice& from) override { device_->show(from); }
  void clock(const ToDevice& to) override { device_->clock(to); }

 private:
  std::unique_ptr<Device> device_;
};

/// The array sizes that this build has Verilated, ascending; the native C++ has the same sizes.
std::vector<int> model_sizes();

/// The accelerator's HLS C++ run natively, and its RTL in Verilator.
/// Errors   std::invalid_argument for a size that model_sizes() does not name
std::unique_ptr<DeviceModel> make_native_model(int array_size);
std::unique_ptr<DeviceModel> make_verilated_model(int array_size);

}  // namespace systole::sim
