#pragma once

#include "ap_int.h"

/// A symmetric low-pass filter of eight taps, one sample a clock while `valid` is set.
struct Fir {
  typedef ap_int<12> sample_t;
  typedef ap_int<27> sum_t;
  static constexpr int kTaps = 8;

  struct Inputs {
    sample_t x;
    ap_uint<1> valid;
  };
  struct Outputs {
    sum_t y;
  };

  Outputs clock(const Inputs& in) {
    constexpr int kCoefficients[kTaps] = {-53, 0, 512, 1433, 1433, 512, 0, -53};
    const Outputs out = {y_};
    if (in.valid == 1) {
      sum_t sum = 0;
    shift:
      for (int i = kTaps - 1; i >= 0; i--) {
        if (i == 0) {
          taps_[0] = in.x;
        } else {
          taps_[i] = taps_[i - 1];
        }
        sum += taps_[i] * kCoefficients[i];
      }
      y_ = sum;
    }
    return out;
  }
  void reset() {
    for (int i = 0; i < kTaps; i++) taps_[i] = 0;
    y_ = 0;
  }

 private:
  sample_t taps_[kTaps];
  sum_t y_;
};
