#pragma once

#include "systole/hls/thread.h"
#include "systole/hls/vec.h"

namespace systole::tests {

using namespace systole::hls;

struct Step {
  UInt<4> count;
  Int<5> offset;
};
inline constexpr UInt<4> kBits[8] = {0, 0, 2, 2, 3, 2, 2, 4};
inline constexpr Step kSteps[2][3] = {{{1, -1}, {2, -2}, {3, -16}}, {{4, 4}, {5, 5}, {15, 15}}};

/// Constant tables in a thread: looked up by a beat, by a counter that is kept while the thread
/// waits, and by both.
inline Thread look_ups(StreamIn<UInt<3>>& places, StreamOut<UInt<4>>& counts, Int<5>& offset) {
  offset = 0;
  for (;;) {
    for (UInt<3> i = 1;; ++i) {
      const UInt<3> place = co_await places.pop();
      const UInt<4> count = kBits[i.value()];
      if (kBits[place.value()] < place) break;
      co_await counts.push(count);
    }
    for (int row = 0; row < 2; ++row) {
      const UInt<3> column = co_await places.pop();
      if (column > 2) continue;
      offset = kSteps[row][column.value()].offset;
      co_await counts.push(kSteps[row][column.value()].count);
    }
  }
}

/// A local array that a variable indexes, kept while the thread waits.
inline Thread histogram(StreamIn<UInt<2>>& places, StreamOut<UInt8>& counts) {
  Vec<UInt8, 4> seen = {};
  for (;;) {
    const UInt<2> place = co_await places.pop();
    ++seen[static_cast<int>(place.value())];
    co_await counts.push(seen[0] ^ seen[static_cast<int>(place.value())]);
  }
}

/// Filled by one loop with waits and read by another, from its end.
inline Thread reverse_five(StreamIn<UInt8>& values, StreamOut<UInt8>& reversed) {
  UInt8 kept[5] = {};
  for (;;) {
    for (int i = 0; i < 5; ++i) {
      kept[i] = co_await values.pop();
      if (kept[i] == 7) break;
    }
    for (int i = 4; i >= 0; --i) co_await reversed.push(kept[i]);
  }
}

/// Two elements of a wire's array, the second read in a branch of its own.
struct BeatFlags {
  UInt1 first;
  Vec<bool, 3> list;
};
inline Thread chosen_flags(StreamIn<UInt8>& source, StreamOut<UInt1>& sink,
                           const BeatFlags& flags) {
  for (;;) {
    const UInt8 beat = co_await source.pop();
    co_await sink.push(truncate<UInt1>(as_bit(flags.list[0]) * beat) ^
                       (beat < 7 ? as_bit(flags.list[2]) : flags.first));
  }
}

}  // namespace systole::tests
