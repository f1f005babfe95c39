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

/// One load, matmul or store, and the steps that must finish before it starts.
struct Step {
  static constexpr std::int32_t kNothing = -1;

  device::CommandWord shape;    ///< the shape that it needs
  device::CommandWord setting;  ///< store_scale to send before it; all zeros for none
  device::CommandWord command;  ///< without tokens
  /// For each engine, the last step that must finish first.
  std::array<std::int32_t, kEngines> after = {kNothing, kNothing, kNothing};
  std::int64_t clocks = 1;  ///< estimated time for which its engine is busy

  void wait_for(Engine engine, std::int32_t step) {
    if (step > after[engine]) after[engine] = step;
  }
};

/// One T for each step of each engine: [engine][step].
template <typename T>
using OfSteps = std::array<std::vector<T>, kEngines>;

}  // namespace systole
