#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "host/driver/device_map.h"

namespace systole {

/// The engines, by their bit in wait and signal.
enum Engine : std::uint8_t { kLoads, kProducts, kStores };
inline constexpr int kEngines = 3;
inline constexpr std::array<Engine, kEngines> kAllEngines = {kLoads, kProducts, kStores};

/// One load, matmul or store, and what must be done before it starts.
struct Step {
  static constexpr std::int32_t kNothing = -1;

  device::CommandWord shape;    ///< the shape that it needs
  device::CommandWord setting;  ///< goes before it (store_scale), or all zeros: nothing
  device::CommandWord command;  ///< without tokens
  /// Of each engine, the last step that must be done first.
  std::array<std::int32_t, kEngines> after = {kNothing, kNothing, kNothing};
  std::int64_t clocks = 1;  ///< about how long its engine is busy

  void wait_for(Engine engine, std::int32_t step) {
    if (step > after[engine]) after[engine] = step;
  }
};

/// Of each engine, something about each of its steps, in their order.
template <typename T>
using OfSteps = std::array<std::vector<T>, kEngines>;

}  // namespace systole
