#pragma once

#include "systole/hls/int.h"

namespace fir {

using namespace systole::hls;

using Sample = Int<12>;
using Sum = Int<20>;

/// Half of a symmetric low pass of seven taps, outermost first; the middle one is used once.
inline constexpr Int<8> kTap[4] = {1, 15, 64, 96};

/// One output of the filter, from the newest sample to the oldest.
///
/// Limits   the taps sum to 256, so 2048 * 256 = 2^19 is the largest magnitude: 20 bits hold it
/// Timing   pure; samples that share a tap are added first, which leaves four products
/// Numbers  exact; 256 times the low pass
inline Sum fir_sum(Sample x0, Sample x1, Sample x2, Sample x3, Sample x4, Sample x5, Sample x6) {
  const auto outer = (x0 + x6) * kTap[0] + (x1 + x5) * kTap[1];
  const auto inner = (x2 + x4) * kTap[2] + x3 * kTap[3];
  return truncate<Sum>(outer + inner);
}

}  // namespace fir
