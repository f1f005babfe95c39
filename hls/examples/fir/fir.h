#pragma once

#include "systole/hls/int.h"
#include "systole/hls/pipeline.h"
#include "systole/hls/stream.h"

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

/// Filters a stream: a sum for every sample.
///
/// Timing   a sample a clock; its sum is shown kStages + 1 clocks later at the earliest
/// Limits   at most kPlaces sums wait. A sample is taken when there is a place for its sum, so the
///          pipeline itself never has to stall.
template <int kStages>
struct Fir {
  struct Inputs {
    Beat<Sample> sample;
    UInt1 sum_ready;
  };
  struct Outputs {
    UInt1 sample_ready;
    Beat<Sum> sum;
  };

  Outputs outputs() const { return {.sample_ready = as_bit(places_ != 0), .sum = sums_.front()}; }

  void clock(const Inputs& in) {
    const UInt1 takes = in.sample.valid & as_bit(places_ != 0);
    const UInt1 gives = in.sum_ready & sums_.front().valid;
    sums_.push({.valid = slice<kStages - 1, kStages - 1>(moving_), .data = sum_.output()});
    sums_.pop(in.sum_ready);
    sums_.update();
    sum_.clock(in.sample.data, past_[0], past_[1], past_[2], past_[3], past_[4], past_[5]);
    moving_ = truncate<UInt<kStages>>(concat(moving_, takes));
    if (takes) {
      for (int i = 5; i > 0; --i) past_[i] = past_[i - 1];
      past_[0] = in.sample.data;
    }
    if (takes && !gives) places_ = truncate<Places>(places_ - UInt1(1));
    if (gives && !takes) places_ = truncate<Places>(places_ + UInt1(1));
  }

  void reset() {
    for (int i = 0; i < 6; ++i) past_[i] = 0;
    moving_ = 0;
    places_ = kPlaces;
    sums_.reset();
  }

 private:
  static constexpr int kPlaces = kStages + 2;
  using Places = UInt<index_bits(kPlaces + 1)>;

  Sample past_[6];
  Pipeline<&fir_sum, kStages> sum_;
  UInt<kStages> moving_;  // which stages hold a sum
  Places places_;         // free in the queue and not yet promised
  Channel<Sum, kPlaces> sums_;
};

}  // namespace fir
