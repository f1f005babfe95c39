#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <tuple>

#include "sim/device/by_array_size.h"
#include "sim/verilator/owned_model.h"
#include "sim/verilator/verilated_accelerator.h"

namespace systole::sim {

/// An entry of the tables from cmake/ModelTable.cmake: a Verilated class, its array size and its
/// bus.
template <typename VerilatedModel, int kSize, int kBusBytes = kSize>
struct BuiltModel : ArraySize<kSize, kBusBytes> {
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

/// Whether a bus has another width than N.
inline bool is_wide(int array_size, int bus_bytes) {
  return bus_bytes != 0 && bus_bytes != array_size;
}

/// Whether a build has the RTL of this array with this bus, which is wide.
template <typename... Built>
constexpr bool has_wide(std::tuple<Built...>*, int array_size, int bus_bytes) {
  return ((Built::kN == array_size && Built::kBus == bus_bytes) || ...);
}

/// As with_built, for a wide bus; `make` returns a std::unique_ptr<Port>.
template <typename Port, typename... Built, typename Visitor>
std::unique_ptr<Port> with_wide(std::tuple<Built...>*, int array_size, int bus_bytes,
                                Visitor&& make) {
  std::unique_ptr<Port> port;
  const auto try_one = [&]<typename One>() {
    if (One::kN == array_size && One::kBus == bus_bytes) port = make.template operator()<One>();
  };
  (try_one.template operator()<Built>(), ...);
  if (port != nullptr) return port;
  throw std::invalid_argument(
      fmt::format("this build has no {0} x {0} RTL with a bus of {1} bytes: its bus has {0}",
                  array_size, bus_bytes));
}

template <typename Built>
using BuiltAccelerator =
    VerilatedAccelerator<OwnedModel<typename Built::Model>, Built::kN, Built::kBus>;

template <typename Built>
std::unique_ptr<BuiltAccelerator<Built>> make_built(std::uint64_t register_seed = 0) {
  return std::make_unique<BuiltAccelerator<Built>>(
      std::make_unique<OwnedModel<typename Built::Model>>(register_seed));
}

}  // namespace systole::sim
