#pragma once

#include "systole/hls/int.h"
#include "systole/hls/thread.h"

namespace qor {

using namespace systole::hls;
using systole::hls::clock;

/// Receives bytes of eight bits, 16 clocks each, and offers them for one clock.
inline Thread uart_receiver(const UInt1& line, UInt8& byte, UInt1& valid) {
  byte = 0;
  valid = 0;
start:
  for (;;) {
    co_await clock();
    valid = 0;
    if (!line) {
      UInt8 bits = 0;
    centre:
      for (UInt<4> wait = 0; wait != 7; ++wait) co_await clock();
    bit:
      for (UInt<4> count = 0; count != 8; ++count) {
      sample:
        for (UInt<5> wait = 0; wait != 16; ++wait) co_await clock();
        bits = concat(line, slice<7, 1>(bits));
      }
    stop:
      for (UInt<5> wait = 0; wait != 16; ++wait) co_await clock();
      byte = bits;
      valid = line;
    }
  }
}

}  // namespace qor
