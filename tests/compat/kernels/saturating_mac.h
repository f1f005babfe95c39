#pragma once

#include "ac_int.h"

/// Multiplies and accumulates in 20 bits and saturates; `clear` starts a new sum.
struct SaturatingMac {
  struct Inputs {
    ac_int<8, true> a;
    ac_int<8, true> b;
    ac_int<1, false> clear;
  };
  struct Outputs {
    ac_int<20, true> sum;
    ac_int<1, false> saturated;
  };

  Outputs clock(const Inputs& in) {
    const Outputs out = {sum_, saturated_};
    ac_int<20, true> kept = sum_;
    if (in.clear) kept = 0;
    const ac_int<21, true> exact = kept + in.a * in.b;
    ac_int<20, true> most, least;
    most.set_val<AC_VAL_MAX>();
    least.set_val<AC_VAL_MIN>();
    if (exact > most) {
      sum_ = most;
    } else if (exact < least) {
      sum_ = least;
    } else {
      sum_ = exact;
    }
    saturated_ = exact.slc<1>(20) != exact.slc<1>(19);
    return out;
  }
  void reset() {
    sum_ = 0;
    saturated_ = 0;
  }

 private:
  ac_int<20, true> sum_;
  ac_int<1, false> saturated_;
};
