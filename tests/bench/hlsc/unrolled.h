#pragma once

#include "systole/hls/int.h"

/// 3,000 rounds in a row of a multiplication, an addition, a shift and an exclusive-or.
namespace systole::tests {

using namespace systole::hls;

inline UInt32 unrolled(UInt32 start) {
  UInt32 x = start;
  for (int round = 0; round < 3000; ++round) {
    x = truncate<UInt32>(x * UInt32(1664525) + UInt32(1013904223)) ^ (x >> UInt<3>(3));
  }
  return x;
}

}  // namespace systole::tests
