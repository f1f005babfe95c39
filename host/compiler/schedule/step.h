#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "host/device/device_map.h"

namespace systole {

/// The engines, by their bit in wait and signal.
enum Engine : std::uint8_t { kLoads, kProducts, kStores, kVectors };
inline constexpr int kEngines = 4;
inline constexpr std::array<Engine, kEngines> kAllEngines = {kLoads, kProducts, kStores, kVectors};

/// One load, matmul or store, or one step of the vector engine, and the steps that must finish
/// before it starts.
///
/// A vector step is programs, streams and runs. Its `command` is its last output stream, which
/// signals when all its outputs are in memory; everything else goes `before` it. It has taken its
/// inputs by then if no run takes a word after it has sent its last one. A vector step may wait for
/// an earlier vector step; other steps follow those of their own engine anyway.
struct Step {
  static constexpr std::int32_t kNothing = -1;
  /// For each engine, the last step that must finish first.
  using After = std::array<std::int32_t, kEngines>;
  static constexpr After kNoStep = {kNothing, kNothing, kNothing, kNothing};

  std::vector<device::CommandWord> before;  ///< of a vector step, without tokens
  device::CommandWord shape;                ///< the shape that it needs
  device::CommandWord setting;              ///< sent before it, as store_scale; all zeros for none
  device::CommandWord command;              ///< without tokens
  After after = kNoStep;
  std::int64_t clocks = 1;  ///< estimated time for which its engine is busy

  void wait_for(Engine engine, std::int32_t step) {
    if (step > after[engine]) after[engine] = step;
  }
};

/// One T for each step of each engine: [engine][step].
template <typename T>
using OfSteps = std::array<std::vector<T>, kEngines>;

}  // namespace systole
