#pragma once

#include <cstdint>
#include <vector>

#include "host/runtime/engine_times.h"
#include "host/runtime/ring_order.h"

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
      starts_[engine].push_back(times_.free(engine) - step.clocks);
      steps_[engine].push_back(step);
    }
    return times_.last(engine);
  }

  std::int32_t last(Engine engine) const { return times_.last(engine); }
  const EngineTimes& times() const { return times_; }

  /// The commands in the order of the ring, by ring_order. Needs Keep::kSteps.
  std::vector<device::CommandWord> commands() const;

 private:
  Keep keep_;
  EngineTimes times_;
  OfSteps<std::int64_t> starts_;
  OfSteps<Step> steps_;
};

}  // namespace systole
