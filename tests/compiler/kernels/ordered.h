#pragma once

#include "systole/hls/int.h"

namespace systole::tests {

using namespace systole::hls;

/// One comparison orders both.
inline UInt<32> ordered(UInt<16> a, UInt<16> b) { return a > b ? concat(a, b) : concat(b, a); }

/// The difference does not wait for the comparison.
inline UInt<32> reduced(UInt<33> sum, UInt<32> modulus) {
  const auto difference = sum - UInt<33>(modulus);
  return sum >= modulus ? truncate<UInt<32>>(difference) : truncate<UInt<32>>(sum);
}

}  // namespace systole::tests
