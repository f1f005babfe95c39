#pragma once

#include <algorithm>

#include "systole/hls/divide.h"
#include "systole/hls/thread.h"

namespace systole::tests {

using namespace systole::hls;

/// A guard of a number that is put together bit by bit, in a loop that waits.
inline Thread guarded_quotient(StreamIn<UInt8>& bytes, StreamOut<UInt8>& steps) {
  UInt8 kept[2] = {};
  for (;;) {
    const UInt8 byte = co_await bytes.pop();
    const auto division = co_await divide(byte, UInt<3>(5));
    const UInt8 held = division.quotient < UInt8(2) ? kept[division.quotient.value()] : UInt8(7);
    kept[bit<6>(byte) ? 1 : 0] = byte;
    co_await steps.push(held);
  }
}

/// A local array whose last reads nothing uses.
inline Thread unread_array(StreamIn<UInt8>& bytes, StreamOut<UInt8>& steps) {
  UInt8 kept[3] = {};
  for (;;) {
    UInt8 value = co_await bytes.pop();
    co_await steps.push(value);
    value[3] = kept[slice<0, 0>(value).value()] == UInt8(1);
  }
}

/// A loop that has a variable of its own and is left early, by numbers known at compile time.
inline Thread first_above(StreamIn<UInt8>& values, UInt<3>& place) {
  place = UInt<3>(0);
  for (;;) {
    const UInt8 value = co_await values.pop();
    int i = 0;
    while (i < 7) {
      const UInt8 threshold = truncate<UInt8>(UInt8::from(static_cast<unsigned>(i)) * 30);
      if (threshold > value) break;
      ++i;
    }
    place = UInt<3>::from(static_cast<unsigned>(i));
  }
}

/// An index that is the least of a constant and a wide number with less in it than its type holds.
inline Thread least_place(StreamIn<UInt8>& bytes, StreamOut<UInt8>& steps) {
  UInt8 kept[6] = {1, 2, 3, 5, 8, 13};
  UInt<65> own = UInt<65>(4611686018427387903ull);
  for (;;) {
    const UInt8 byte = co_await bytes.pop();
    if (bit<0>(byte)) own = bit<1>(byte) ? own : UInt<65>(byte);
    co_await steps.push(kept[static_cast<int>(std::min(own, UInt<65>(5)).value())]);
    kept[0] = byte;
    own /= 561305;
  }
}

}  // namespace systole::tests
