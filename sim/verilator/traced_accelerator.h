#pragma once

// The accelerators of this build whose signals can be traced; for sources that link to
// systole::traced_accelerator_models.

#include <Vtraced_accelerator_models.h>

#include <memory>
#include <utility>

#include "sim/verilator/traced_verilated.h"

namespace systole::sim {

/// Calls visitor(device) with the accelerator of this size, which writes the window's signals, and
/// returns its result.
///
/// Errors   std::invalid_argument for a size that this build lacks; std::runtime_error for a file
///          that cannot be written
template <typename Visitor>
auto with_traced_accelerator(int array_size, TraceWindow window, Visitor&& visitor) {
  return with_built<traced_accelerator_models>(array_size, [&]<typename Built>() {
    using Traced = TracedVerilated<typename Built::Model>;
    return visitor(std::make_unique<VerilatedAccelerator<Traced, Built::kN>>(
        std::make_unique<Traced>(std::move(window))));
  });
}

}  // namespace systole::sim
