#pragma once

// The Verilated accelerators of this build that can write their signals, by array size. CMake
// defines SYSTOLE_TRACED_N for each; this header is for the sources that link to
// systole::traced_accelerators.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <utility>

#include "sim/verilator/traced_verilated.h"
#include "sim/verilator/verilated_accelerator.h"
#ifdef SYSTOLE_TRACED_4
#include <Vtraced_accelerator_4.h>
#endif
#ifdef SYSTOLE_TRACED_8
#include <Vtraced_accelerator_8.h>
#endif
#ifdef SYSTOLE_TRACED_16
#include <Vtraced_accelerator_16.h>
#endif

namespace systole::sim {

/// Ascending.
inline constexpr std::array kTracedAccelerators = {
#ifdef SYSTOLE_TRACED_4
    4,
#endif
#ifdef SYSTOLE_TRACED_8
    8,
#endif
#ifdef SYSTOLE_TRACED_16
    16,
#endif
};

/// Calls visit(device) with the accelerator of this size, whose signals
/// are written, and returns what it returns.
/// Errors   std::invalid_argument for a size that kTracedAccelerators does not name;
///          std::runtime_error for a file that cannot be written
template <typename Visitor>
auto with_traced_accelerator(int array_size, TraceWindow window, Visitor&& visit) {
  const auto made = [&]<typename Model, int kN>() {
    using Device = VerilatedAccelerator<TracedVerilated<Model>, kN>;
    return visit(
        std::make_unique<Device>(std::make_unique<TracedVerilated<Model>>(std::move(window))));
  };
#ifdef SYSTOLE_TRACED_4
  if (array_size == 4) return made.template operator()<Vtraced_accelerator_4, 4>();
#endif
#ifdef SYSTOLE_TRACED_8
  if (array_size == 8) return made.template operator()<Vtraced_accelerator_8, 8>();
#endif
#ifdef SYSTOLE_TRACED_16
  if (array_size == 16) return made.template operator()<Vtraced_accelerator_16, 16>();
#endif
  throw std::invalid_argument(fmt::format(
      "this build can trace the signals of no array of {}, but of {}: see SYSTOLE_ARRAYS",
      array_size, fmt::join(kTracedAccelerators, ", ")));
}

}  // namespace systole::sim
