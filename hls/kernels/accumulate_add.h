#pragma once

#include "hls/kernels/accumulate.h"
#include "systole/hls/pipeline.h"

namespace systole::kernels {

/// The addition of one accumulator lane with registers around it, alone.
///
/// Timing   a result leaves kAccumulateStages clocks after its arguments entered, one a clock
/// Numbers  accumulate.h
struct AccumulateAdd {
  static constexpr int kLatency = kAccumulateStages;

  struct Inputs {
    UInt1 is_int8;     ///< int8 operands and int32 sums; else bf16 and fp32
    UInt1 accumulate;  ///< add to total; else the result is the sum
    UInt32 total;      ///< what the accumulator holds
    UInt32 sum;        ///< what the array adds
  };
  struct Outputs {
    UInt32 result;  ///< the new total
  };

  Outputs clock(const Inputs& in) {
    const Outputs out{.result = add_.output()};
    add_.clock(in.is_int8, in.accumulate, in.total, in.sum);
    return out;
  }

 private:
  Pipeline<&kernels::accumulate, kAccumulateStages> add_;
};

}  // namespace systole::kernels
