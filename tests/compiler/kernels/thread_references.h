#pragma once

#include "systole/hls/int.h"
#include "systole/hls/thread.h"

namespace systole::tests {

using namespace systole::hls;

/// The address of a flag, found in a loop that waits and that `break` leaves, serves after it, too.
struct TwoFlags {
  bool list[2];
};
inline Thread kept_place(StreamIn<UInt<2>>& source, StreamOut<UInt<2>>& sink, const UInt1& wire,
                         const TwoFlags& flags) {
  for (;;) {
    UInt<2> beat = co_await source.pop();
    do {
      do {
        beat = co_await source.pop();
        if ((wire == 1 ? UInt<2>(as_bit(flags.list[1])) : beat) < as_bit(flags.list[1])) break;
      } while (beat != 3);
      co_await clock();
    } while (beat != 2);
    if (flags.list[0]) continue;
    if (wire == 1) {
      co_await clock();
      if (flags.list[1]) co_await sink.push(beat);
    }
  }
}

}  // namespace systole::tests
