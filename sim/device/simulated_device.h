#pragma once

#include <concepts>

#include "sim/memory/axi_signals.h"

namespace systole::sim {

/// An accelerator under simulation: the HLS C++ run natively, or the RTL in Verilator.
///
/// Timing   show() gives the signals of the clock that runs, which follow from registers alone;
///          clock() is the edge that ends it; reset() leaves it in the first clock after reset
template <typename T>
concept SimulatedDevice = requires(T device, const ToDevice& to, FromDevice& from) {
  { T::kN } -> std::convertible_to<int>;
  device.reset();
  device.show(from);
  device.clock(to);
};

}  // namespace systole::sim
