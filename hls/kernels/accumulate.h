#pragma once

#include "hls/kernels/fp32.h"

namespace systole::kernels {

/// Stages of the addition inside the accumulators.
inline constexpr int kAccumulateStages = 3;

/// What an accumulator row becomes: total + sum, or just sum when accumulate is 0.
///
/// Shapes   one element: fp32, or int32 with is_int8
/// Timing   pure; used as Pipeline<&accumulate, kAccumulateStages>, II = 1
/// Numbers  fp32: to nearest even, subnormals flushed on the way in and out; int32: modulo 2^32.
///          Overwriting keeps the sum's bits as they are.
constexpr UInt32 accumulate(const UInt1& is_int8, const UInt1& accumulate, const UInt32& total,
                            const UInt32& sum) {
  const UInt32 integers = truncate<UInt32>(total + sum);
  const UInt32 added = add_round(is_int8, unpack_fp32(total), unpack_fp32(sum), integers);
  return accumulate ? added : sum;
}

}  // namespace systole::kernels
