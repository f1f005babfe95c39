#pragma once

#include "systole/hls/int.h"
#include "systole/hls/stream.h"
#include "systole/hls/vec.h"

namespace systole::hls {

/// The elements side by side in a beat.
template <int kElementBytes, int kBusBytes>
struct AxiLanes {
  static constexpr int kLanes = kBusBytes / kElementBytes;
  using Element = UInt<8 * kElementBytes>;
  using Elements = Vec<Element, kLanes>;
  using Lane = UInt<index_bits(kLanes)>;

  /// Where the element at `address` lies.
  static Lane at(const UInt<40>& address) {
    constexpr int kElementBits = index_bits(kElementBytes + 1) - 1;
    if constexpr (kLanes == 1) {
      return Lane(0);
    } else {
      return slice<kElementBits + index_bits(kLanes) - 1, kElementBits>(address);
    }
  }
};

}  // namespace systole::hls
