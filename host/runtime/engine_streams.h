#pragma once

#include <cstdint>
#include <vector>

#include "host/runtime/engine_times.h"
#include "host/runtime/ring_order.h"

namespace systole {

/// What becomes of the steps that are added.
enum class Keep : std::uint8_t {
  kTimes,  ///< only when they start: to try how long a program takes
  kSteps   ///< all, to make the commands
};

/// What each engine does, in its order; from it follow the tokens and the order of the ring.
class EngineStreams {
 public:
  explicit EngineStreams(Keep keep) : keep_(keep) {}

  /// Appends a step and returns its number in the engine's stream.
  ///
  /// Limits   its `after` names steps that have been added, of other engines
  std::int32_t add(Engine engine, const Step& step) {
    times_.add(engine, step.after, step.clocks);
    if (keep_ == Keep::kSteps) steps_[engine].push_back(step);
    return times_.last(engine);
  }

  std::int32_t last(Engine engine) const { return times_.last(engine); }
  const EngineTimes& times() const { return times_; }

  /// The commands in the order of the ring, as ring_order says. For kept steps.
  std::vector<device::CommandWord> commands() const;

 private:
  Keep keep_;
  EngineTimes times_;
  OfSteps<Step> steps_;
};

}  // namespace systole
