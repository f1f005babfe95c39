#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "host/compiler/schedule/engine_times.h"
#include "host/compiler/schedule/ring_order.h"

namespace systole {

/// How much of the added steps to keep.
enum class Keep : std::uint8_t {
  kTimes,  ///< only their start times, to estimate how long a program takes
  kSteps   ///< everything, to make the commands
};

/// The steps of each engine in order. Tokens and the order of the ring follow from them.
class EngineStreams {
 public:
  explicit EngineStreams(Keep keep) : keep_(keep) {}

  /// Appends a step and returns its number in the engine's stream.
  ///
  /// Limits   its `after` names steps that were added before
  std::int32_t add(Engine engine, const Step& step) {
    times_.add(engine, step.after, step.clocks);
    if (keep_ == Keep::kSteps) {
      places_[engine].push_back(place_in_ring(engine, step));
      steps_[engine].push_back(step);
    }
    return times_.last(engine);
  }

  std::int32_t last(Engine engine) const { return times_.last(engine); }
  const EngineTimes& times() const { return times_; }

  /// The commands in the order of the ring, by ring_order. Needs Keep::kSteps.
  std::vector<device::CommandWord> commands() const;

 private:
  /// When the step just added starts. A step of several times the commands that the engine queues,
  /// each of few clocks, holds up all commands after it until it nearly ends. It is placed by its
  /// end, and a little later, since such steps take longer than estimated.
  std::int64_t place_in_ring(Engine engine, const Step& step) const {
    constexpr std::int64_t kLead = 2'000;  // by trial
    const std::int64_t end = times_.free(engine);
    constexpr std::int64_t kClocks = 64;
    const std::int64_t commands = std::ssize(step.before) + 1;
    const bool fills_queue =
        commands > 3 * device::kQueuedCommands && step.clocks < kClocks * commands;
    const std::int64_t place = fills_queue ? end + kLead : end - step.clocks;
    return places_[engine].empty() ? place : std::max(place, places_[engine].back());
  }

  Keep keep_;
  EngineTimes times_;
  OfSteps<std::int64_t> places_;  ///< clocks that order the steps in the ring
  OfSteps<Step> steps_;
};

}  // namespace systole
