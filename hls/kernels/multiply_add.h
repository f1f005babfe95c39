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
    UInt1 is_int8;      ///< int8 operands and int32 sums; else bf16 and fp32
    UInt16 activation;  ///< bf16, or int8 in the low byte
    UInt16 weight;      ///< bf16, or int8 in the low byte
    UInt32 sum;         ///< fp32 or int32
  };
  struct Outputs {
    UInt32 result;  ///< sum + activation * weight
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
