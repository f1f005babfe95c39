#pragma once

#include <string>
#include <vector>

#include "host/report/comparison.h"

namespace systole {

/// A part of a run's clocks, 0 to 1, and what the array did in them or waited for. All parts of a
/// run make up 1.
struct ClockShare {
  const char* cause;
  const char* color;
  const char* meaning;  ///< a sentence on where it comes from and what makes it smaller
  double share;
};
std::vector<ClockShare> clock_shares(const RecordedRun& run);

}  // namespace systole
