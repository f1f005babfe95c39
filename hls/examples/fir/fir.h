#pragma once

#include "fir_sum.h"
#include "systole/hls/pipeline.h"
#include "systole/hls/stream.h"

namespace fir {

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
