#pragma once

#include "systole/hls/thread.h"

namespace run_length {

using namespace systole::hls;

/// A byte of a packet.
struct Symbol {
  UInt8 value;
  UInt1 last;
};

/// The same byte `length` times, 1..255.
struct Run {
  UInt8 value;
  UInt8 length;
  UInt1 last;
};

/// Joins equal symbols that follow each other into runs; a run ends with its packet.
///
/// Limits   a run of more than 255 symbols becomes several
/// Timing   a symbol a clock, and a clock more for each run
inline Thread encode(StreamIn<Symbol>& symbols, StreamOut<Run>& runs) {
packet:
  for (;;) {
    const Symbol first = co_await symbols.pop();
    Run run{.value = first.value, .length = 1, .last = first.last};
  symbol:
    while (!run.last) {
      const Symbol next = co_await symbols.pop();
      if (next.value == run.value && run.length < 255) {
        run.length = truncate<UInt8>(run.length + UInt1(1));
        run.last = next.last;
      } else {
        co_await runs.push(run);
        run = {.value = next.value, .length = 1, .last = next.last};
      }
    }
    co_await runs.push(run);
  }
}

}  // namespace run_length
