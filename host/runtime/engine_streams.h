#pragma once

#include <cstdint>
#include <vector>

#include "host/runtime/ring_order.h"

namespace systole {

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

  /// The commands in the order of the ring, as ring_order says.
  std::vector<device::CommandWord> commands(const EngineLatency& latency = {},
                                            int most_tokens = kMostTokensOfRing) const;

 private:
  using Starts = OfSteps<std::int64_t>;
  std::int64_t time(const EngineLatency& latency, Starts& starts) const;

  OfSteps<Step> steps_;
};

}  // namespace systole
