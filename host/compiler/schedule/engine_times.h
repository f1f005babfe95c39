#pragma once

#include <algorithm>
#include <cstdint>

#include "host/compiler/schedule/step.h"

namespace systole {

/// Approximate clocks from a step's end until other engines see it; the order of commands is chosen
/// for these.
struct EngineLatency {
  static constexpr std::int64_t kLoad = 90;     ///< from the last request to its word in the buffer
  static constexpr std::int64_t kProduct = 60;  ///< from the last row in to its sums
  static constexpr std::int64_t kStore = 90;    ///< from the last beat out to its acknowledgement
  static constexpr std::int64_t kVector = 90;   ///< from the last beat out to its acknowledgement
  static constexpr std::int64_t kRestart = 30;  ///< compute's first weights, after it waited
};

/// Estimates when each step would start if queues were unlimited; known as soon as it is added.
class EngineTimes {
 public:
  /// Limits   `after` names steps that were added before
  void add(Engine engine, const Step::After& after, std::int64_t clocks);

  std::int32_t last(Engine engine) const {
    return static_cast<std::int32_t>(ends_[engine].size()) - 1;
  }

  /// When a step of `engine` could start, as far as it depends on `after`.
  std::int64_t ready(Engine engine, const Step::After& after) const;

  /// When the engine has finished its steps.
  std::int64_t free(Engine engine) const { return free_[engine]; }

  /// The clocks that all its steps take.
  std::int64_t busy(Engine engine) const { return busy_[engine]; }

  /// The estimated clocks of the whole program.
  std::int64_t clocks() const { return std::ranges::max(free_) + EngineLatency::kStore; }

 private:
  OfSteps<std::int64_t> ends_;
  std::array<std::int64_t, kEngines> free_{}, busy_{};
  std::int32_t loads_seen_ = Step::kNothing;  // the last load that a product has waited for
};

}  // namespace systole
