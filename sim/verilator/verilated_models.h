#pragma once

// The Verilated units of this build, by array size. CMake defines SYSTOLE_VERILATED_N for each.

#include <memory>
#include <stdexcept>
#include <vector>

#include "sim/verilator/owned_model.h"
#include "sim/verilator/verilated_unit.h"
#ifdef SYSTOLE_VERILATED_4
#include <Vmatrix_unit_4.h>
#endif
#ifdef SYSTOLE_VERILATED_8
#include <Vmatrix_unit_8.h>
#endif
#ifdef SYSTOLE_VERILATED_16
#include <Vmatrix_unit_16.h>
#endif

namespace systole {

template <typename Model, int kN>
std::unique_ptr<VerilatedUnit<OwnedModel<Model>, kN>> make_verilated_unit() {
  return std::make_unique<VerilatedUnit<OwnedModel<Model>, kN>>(
      std::make_unique<OwnedModel<Model>>());
}

/// The array sizes that this build has Verilated, ascending.
inline std::vector<int> verilated_sizes() {
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

/// Calls visit(unit) with the Verilated unit of this size and returns what it returns.
/// Errors   std::invalid_argument for a size that verilated_sizes() does not name
template <typename Visitor>
auto with_verilated_unit(int array_size, Visitor&& visit) {
#ifdef SYSTOLE_VERILATED_4
  if (array_size == 4) return visit(make_verilated_unit<Vmatrix_unit_4, 4>());
#endif
#ifdef SYSTOLE_VERILATED_8
  if (array_size == 8) return visit(make_verilated_unit<Vmatrix_unit_8, 8>());
#endif
#ifdef SYSTOLE_VERILATED_16
  if (array_size == 16) return visit(make_verilated_unit<Vmatrix_unit_16, 16>());
#endif
  throw std::invalid_argument("this build has Verilated no array of that size; see SYSTOLE_ARRAYS");
}

}  // namespace systole
