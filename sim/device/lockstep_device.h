#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "sim/device/same_signals.h"
#include "sim/device/simulated_device.h"

namespace systole::sim {

/// Two simulations of one accelerator, side by side: both get the same inputs, and their outputs
/// are compared in every clock. Data is compared when its valid is set, and bytes when their strobe
/// is. If the second device has no data path, the data it writes is not compared.
///
/// Errors   LockstepError with the clock, the signal and both values
template <SimulatedDevice First, SimulatedDevice Second>
class LockstepDevice {
  static_assert(First::kN == Second::kN && First::kBus == Second::kBus);

 public:
  static constexpr int kN = First::kN;
  static constexpr int kBus = First::kBus;

  LockstepDevice(std::unique_ptr<First> first, std::unique_ptr<Second> second,
                 const ComparedNames& names = {})
      : first_(std::move(first)), second_(std::move(second)), names_(names) {}

  void reset() {
    first_->reset();
    second_->reset();
  }

  void clock(const ToDevice& to) {
    first_->clock(to);
    second_->clock(to);
    ++clock_;
  }

  void show(FromDevice& from) {
    first_->show(from);
    second_->show(other_);
    if constexpr (requires { requires !Second::kData; }) {
      other_.axi.write.data = from.axi.write.data;
      other_.axi.write.strobe = from.axi.write.strobe;
      other_.up.out.lanes = from.up.out.lanes;
      other_.down.out.lanes = from.down.out.lanes;
    }
    require_same(clock_, from, other_, kBus, names_);
  }

 private:
  std::unique_ptr<First> first_;
  std::unique_ptr<Second> second_;
  FromDevice other_;
  ComparedNames names_;
  std::uint64_t clock_ = 0;
};

}  // namespace systole::sim
