#pragma once

#include <vector>

#include "host/report/comparison.h"

namespace systole {

/// A share of a run's clocks, 0 to 1, and what the array did or waited for. A run's shares add up
/// to 1.
struct ClockShare {
  const char* cause;
  const char* color;
  const char* meaning;  ///< its cause and how to reduce it
  double share;
};
std::vector<ClockShare> clock_shares(const RecordedRun& run);

}  // namespace systole
