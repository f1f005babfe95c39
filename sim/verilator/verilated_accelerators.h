#pragma once

// The Verilated accelerators of this build, by array size. CMake defines SYSTOLE_ACCELERATOR_N for
// each; this header is for the sources that link to systole::verilated_accelerators.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <memory>
#include <stdexcept>

#include "sim/verilator/owned_model.h"
#include "sim/verilator/verilated_accelerator.h"
#ifdef SYSTOLE_ACCELERATOR_4
#include <Vaccelerator_4.h>
#include <Vaccelerator_4___024root.h>
#endif
#ifdef SYSTOLE_ACCELERATOR_8
#include <Vaccelerator_8.h>
#include <Vaccelerator_8___024root.h>
#endif
#ifdef SYSTOLE_ACCELERATOR_16
#include <Vaccelerator_16.h>
#include <Vaccelerator_16___024root.h>
#endif

namespace systole::sim {

/// Ascending.
inline constexpr std::array kVerilatedAccelerators = {
#ifdef SYSTOLE_ACCELERATOR_4
    4,
#endif
#ifdef SYSTOLE_ACCELERATOR_8
    8,
#endif
#ifdef SYSTOLE_ACCELERATOR_16
    16,
#endif
};

/// Calls visit.template operator()<Model, kN>() for this size and returns what it returns.
/// Errors   std::invalid_argument for a size that kVerilatedAccelerators does not name
template <typename Visitor>
auto with_verilated_accelerator(int array_size, Visitor&& visit) {
#ifdef SYSTOLE_ACCELERATOR_4
  if (array_size == 4) return visit.template operator()<Vaccelerator_4, 4>();
#endif
#ifdef SYSTOLE_ACCELERATOR_8
  if (array_size == 8) return visit.template operator()<Vaccelerator_8, 8>();
#endif
#ifdef SYSTOLE_ACCELERATOR_16
  if (array_size == 16) return visit.template operator()<Vaccelerator_16, 16>();
#endif
  throw std::invalid_argument(
      fmt::format("this build has Verilated no accelerator of size {}, but {}: see SYSTOLE_ARRAYS",
                  array_size, fmt::join(kVerilatedAccelerators, ", ")));
}

template <typename Model, int kN>
auto make_verilated_accelerator(std::uint64_t register_seed = 0) {
  return std::make_unique<VerilatedAccelerator<OwnedModel<Model>, kN>>(
      std::make_unique<OwnedModel<Model>>(register_seed));
}

}  // namespace systole::sim
