#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <memory>
#include <stdexcept>

#include "sim/device/by_array_size.h"
#include "sim/verilator/owned_model.h"
#include "sim/verilator/verilated_accelerator.h"

namespace systole::sim {

/// An entry of the tables from cmake/ModelTable.cmake: a Verilated class and its array size.
template <typename VerilatedModel, int kSize>
struct BuiltModel : ArraySize<kSize> {
  using Model = VerilatedModel;
};

/// Calls visitor.template operator()<Built>() for the model of this size and returns its result.
/// Errors   std::invalid_argument for a size that this build lacks; it says how to add it
template <typename Models, typename Visitor>
auto with_built(int array_size, Visitor&& visitor) {
  if (!Models::has(array_size)) {
    throw std::invalid_argument(fmt::format("this build has no {0} x {0} RTL: N can be {1}{2}",
                                            array_size, fmt::join(Models::kSizes, ", "),
                                            how_to_build(Models::kSizes)));
  }
  return Models::visit(array_size, visitor);
}

template <typename Built>
using BuiltAccelerator = VerilatedAccelerator<OwnedModel<typename Built::Model>, Built::kN>;

template <typename Built>
std::unique_ptr<BuiltAccelerator<Built>> make_built(std::uint64_t register_seed = 0) {
  return std::make_unique<BuiltAccelerator<Built>>(
      std::make_unique<OwnedModel<typename Built::Model>>(register_seed));
}

}  // namespace systole::sim
