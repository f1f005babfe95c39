#pragma once

#include "systole/hls/int.h"
#include "systole/hls/vec.h"

namespace qor {

using namespace systole::hls;

/// The sum of four absolute differences.
inline UInt<10> absolute_differences(const Vec<UInt8, 4>& a, const Vec<UInt8, 4>& b) {
  UInt<10> sum = 0;
  for (int i = 0; i < 4; ++i) {
    const auto difference =
        a[i] < b[i] ? truncate<UInt8>(b[i] - a[i]) : truncate<UInt8>(a[i] - b[i]);
    sum += difference;
  }
  return sum;
}

}  // namespace qor
