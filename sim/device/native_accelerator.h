#pragma once

#include <cstdint>

#include "hls/kernels/accelerator.h"
#include "sim/memory/axi_signals.h"

namespace systole::sim {

/// The accelerator's HLS C++ run natively, as a SimulatedDevice like the Verilated ones.
///
/// Limits   reset, show and clock are compiled once for each array of NativeSizes and ControlSizes;
///          native_accelerator_clock.h has them for others. Without kWithData it behaves in every
///          clock like the whole device, except that it writes no bytes and sets no strobes: no
///          clock depends on data
template <int kSize, bool kWithData = true, int kBusBytes = kSize,
          int kStages = kernels::kMacStages>
class NativeAccelerator {
 public:
  static constexpr int kN = kSize;
  static constexpr int kBus = kBusBytes;
  static constexpr bool kData = kWithData;

  void reset();
  void show(FromDevice& from) const;
  void clock(const ToDevice& to);

  using Unit = kernels::Accelerator<kN, kernels::kDefaultBankRows, kData, kBus, kStages>;
  const Unit& unit() const { return unit_; }

 private:
  Unit unit_;
  typename Unit::Inputs in_{};
};

/// The accelerator without its data path: the same clocks, many times as fast.
template <int kSize, int kBusBytes = kSize>
using ControlAccelerator = NativeAccelerator<kSize, false, kBusBytes>;

}  // namespace systole::sim
