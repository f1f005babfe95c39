#pragma once

#include <concepts>

#include "sim/memory/axi_signals.h"

namespace systole::sim {

/// An accelerator under simulation: the HLS C++ run natively, or the RTL in Verilator.
///
/// Timing   show() returns the signals of the current clock, which depend on registers alone;
///          clock() is the edge that ends it; after reset() the device is in its first clock
template <typename T>
concept SimulatedDevice = requires(T device, const ToDevice& to, FromDevice& from) {
  { T::kN } -> std::convertible_to<int>;
  { T::kBus } -> std::convertible_to<int>;
  device.reset();
  device.show(from);
  device.clock(to);
};

}  // namespace systole::sim
