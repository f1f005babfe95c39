#pragma once

#include "systole/hls/int.h"
#include "systole/hls/pipeline.h"
#include "systole/hls/vec.h"

namespace systole::tests {

using namespace systole::hls;

constexpr UInt<8> mix(const UInt<8>& wire, const UInt<8>& other) {
  const UInt<8> reg = truncate<UInt<8>>(wire + other);
  const UInt<8> total = reg ^ slice<7, 0>(reg * wire);
  const UInt<8> always_comb = truncate<UInt<8>>(total + (reg >> UInt<2>(1)));
  return truncate<UInt<8>>(always_comb * total);
}

/// Local names that are keywords, loop counters or used again: each stays its own value.
struct NamesClash {
  static constexpr int kLanes = 3;
  struct Inputs {
    UInt<8> input;
    UInt<8> output;
    UInt<1> i;
  };
  struct Outputs {
    UInt<8> begin;
    UInt<8> end;
    UInt<8> module;
    UInt<8> logic;
  };

  /// Called for a port and inside a loop: its locals are there twice.
  static UInt<8> twist(const UInt<8>& wire, const UInt<8>& uwire) {
    const UInt<8> total = truncate<UInt<8>>(wire + uwire);
    const UInt<8> i = total ^ (total >> UInt<3>(2));
    return truncate<UInt<8>>(i * total);
  }

  Outputs clock(const Inputs& in) {
    const UInt<8> total = twist(in.input, reg_);
    const UInt<8> reg = total ^ mix_.output();
    const Outputs out{.begin = total, .end = reg_, .module = mix_.output(), .logic = array_[2]};
    for (int i = 0; i < kLanes; ++i) {
      array_[i] = twist(truncate<UInt<8>>(array_[i] + total), other_[i] ^ reg);
    }
    for (int j = 0; j < kLanes; ++j) {
      const UInt<8> i = truncate<UInt<8>>(array_[j] * reg);
      other_[j] = i ^ (i >> UInt<3>(3)) ^ total;
    }
    for (int n = 0; n < kLanes; ++n) lane_[n].clock(array_[n], total);
    mix_.clock(reg, total);
    reg_ = in.i ? in.output : reg_;
    return out;
  }
  void reset() {
    reg_ = UInt<8>(0);
    for (int i = 0; i < kLanes; ++i) {
      array_[i] = UInt<8>(0);
      other_[i] = UInt<8>(0);
    }
  }

 private:
  UInt<8> reg_;
  UInt<8> array_[kLanes];
  UInt<8> other_[kLanes];
  Pipeline<&mix, 2> mix_;
  Pipeline<&mix, 3> lane_[kLanes];
};

}  // namespace systole::tests
