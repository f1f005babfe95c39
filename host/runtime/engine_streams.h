#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "host/driver/device_map.h"

namespace systole {

/// The engines, by their bit in wait and signal.
enum Engine : std::uint8_t { kLoads, kProducts, kStores };
inline constexpr int kEngines = 3;

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

/// About how long a step's end takes to be seen, in clocks: what the order of commands is made for.
struct EngineLatency {
  std::int64_t load = 90;     ///< from the last beat asked for to its word in the buffer
  std::int64_t product = 60;  ///< from the last row in to its sums in the accumulators
  std::int64_t store = 90;    ///< from the last beat out to its acknowledgement
  std::int64_t restart = 30;  ///< of compute, after it waited: its first weights
};

/// What each engine does, in its order; from it follow the tokens and the order of the ring.
class EngineStreams {
 public:
  /// Appends a step and returns its number in the engine's stream.
  ///
  /// Limits   its `after` names steps that have been added, of other engines
  std::int32_t add(Engine engine, Step step);

  std::int32_t last(Engine engine) const {
    return static_cast<std::int32_t>(steps_[engine].size()) - 1;
  }
  const std::vector<Step>& steps(Engine engine) const { return steps_[engine]; }

  /// About how many clocks the whole takes.
  std::int64_t clocks(const EngineLatency& latency = {}) const;

  /// The commands in the order of the ring: of their steps' starts, were there no queues. A step
  /// starts after those it waits for, so that every wait comes behind its signal in the ring: the
  /// first step that is not done can always go on, whatever the length of the queues.
  std::vector<device::CommandWord> commands(const EngineLatency& latency = {}) const;

 private:
  using Starts = std::array<std::vector<std::int64_t>, kEngines>;
  std::int64_t time(const EngineLatency& latency, Starts& starts) const;
  std::array<std::vector<device::Tokens>, kEngines> tokens() const;

  std::array<std::vector<Step>, kEngines> steps_;
};

}  // namespace systole
