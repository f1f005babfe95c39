#pragma once

#include "encode.h"

namespace run_length {

/// The other way: each run becomes its symbols, one a clock.
inline Thread decode(StreamIn<Run>& runs, StreamOut<Symbol>& symbols) {
run:
  for (;;) {
    Run run = co_await runs.pop();
  symbol:
    while (run.length > 1) {
      co_await symbols.push({.value = run.value, .last = 0});
      run.length = truncate<UInt8>(run.length - UInt1(1));
    }
    co_await symbols.push({.value = run.value, .last = run.last});
  }
}

}  // namespace run_length
