#pragma once

#include "hls/kernels/mac.h"
#include "systole/hls/pipeline.h"

namespace systole::kernels {

/// One multiply-add with registers around it: what a processing element computes, alone.
///
/// Timing   a result leaves kMacStages clocks after its arguments entered, one a clock
/// Numbers  mac.h
struct MultiplyAdd {
  static constexpr int kLatency = kMacStages;

  struct Inputs {
    UInt1 is_int8;
    UInt16 activation;
    UInt16 weight;
    UInt32 sum;
  };
  struct Outputs {
    UInt32 result;
  };

  Outputs clock(const Inputs& in) {
    const Outputs out{.result = mac_.output()};
    mac_.clock(in.is_int8, in.activation, in.weight, in.sum);
    return out;
  }

 private:
  Pipeline<&mac, kMacStages> mac_;
};

}  // namespace systole::kernels
