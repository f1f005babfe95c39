#pragma once

#include "systole/hls/int.h"

namespace qor {

using namespace systole::hls;

/// The least and the greatest sample since `clear`, and the distance between them.
struct Extremes {
  struct Inputs {
    Int<12> sample;
    UInt1 clear;
  };
  struct Outputs {
    Int<12> least;
    Int<12> greatest;
    UInt<12> span;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{
        .least = least_, .greatest = greatest_, .span = truncate<UInt<12>>(greatest_ - least_)};
    if (in.clear || in.sample < least_) least_ = in.sample;
    if (in.clear || in.sample > greatest_) greatest_ = in.sample;
    return out;
  }
  void reset() {
    least_ = 2047;
    greatest_ = -2048;
  }

 private:
  Int<12> least_;
  Int<12> greatest_;
};

}  // namespace qor
