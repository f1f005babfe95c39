#pragma once

#include <algorithm>
#include <cstdint>

#include "host/runtime/step.h"

namespace systole {

/// About how long a step's end takes to be seen, in clocks: what the order of commands is made for.
struct EngineLatency {
  static constexpr std::int64_t kLoad = 90;  ///< from the last beat asked for to its word's place
  static constexpr std::int64_t kProduct = 60;  ///< from the last row in to its sums
  static constexpr std::int64_t kStore = 90;    ///< from the last beat out to its acknowledgement
  static constexpr std::int64_t kRestart = 30;  ///< of compute, after it waited: its first weights
};

/// About when each step starts, were there no queues: known as soon as the step is added.
class EngineTimes {
 public:
  /// Limits   `after` names steps that have been added, of other engines
  void add(Engine engine, const std::array<std::int32_t, kEngines>& after, std::int64_t clocks);

  std::int32_t last(Engine engine) const {
    return static_cast<std::int32_t>(starts_[engine].size()) - 1;
  }
  const OfSteps<std::int64_t>& starts() const { return starts_; }

  /// When the engine has done its steps.
  std::int64_t free(Engine engine) const { return free_[engine]; }

  /// About how many clocks the whole takes.
  std::int64_t clocks() const {
    return std::max({free_[kLoads], free_[kProducts], free_[kStores]}) + EngineLatency::kStore;
  }

 private:
  OfSteps<std::int64_t> starts_, ends_;
  std::array<std::int64_t, kEngines> free_{};
  std::int32_t loads_seen_ = Step::kNothing;  // by products
};

}  // namespace systole
