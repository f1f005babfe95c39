#pragma once

#include "systole/hls/int.h"
#include "systole/hls/thread.h"

namespace systole::board {

using namespace systole::hls;
using systole::hls::clock;

/// Bytes from and to a serial line: a start bit of 0, eight data bits, the lowest first, a stop bit
/// of 1. The idle line is 1.
///
/// Units    `step` is the bits of a clock: baud / clock x 2^16, so any baud rate of at most half
///          the clock will do
/// Timing   a bit is sampled at its middle, to half a clock. A byte is offered for one clock
/// Errors   a byte without its stop bit is dropped, and so is a start bit that ends too early
inline Thread receive_bytes(const UInt1& line, const UInt16& step, UInt8& byte, UInt1& valid) {
  byte = 0;
  valid = 0;
start:
  for (;;) {
    co_await clock();
    valid = 0;
    if (line) continue;
    UInt16 phase = 0x8000;  // half a bit to the middle of the start bit
    UInt8 bits = 0;
    UInt<4> count = 0;
    bool is_byte = true;
  bit:
    do {
      UInt<17> sum = 0;
    sample:
      do {
        co_await clock();
        sum = phase + step;
        phase = truncate<UInt16>(sum);
      } while (!sum[16]);
      if (count == 0 && line) is_byte = false;
      if (count != 0 && count != 9) bits = concat(line, slice<7, 1>(bits));
      count += 1;
    } while (is_byte && count != 10);
    byte = bits;
    valid = as_bit(is_byte && line);
  }
}

inline Thread send_bytes(StreamIn<UInt8>& bytes, const UInt16& step, UInt1& line) {
  line = 1;
byte:
  for (;;) {
    UInt<10> bits = concat(UInt1(1), concat(co_await bytes.pop(), UInt1(0)));
    UInt16 phase = 0;
    UInt<4> count = 0;
  bit:
    do {
      line = slice<0, 0>(bits);
      UInt<17> sum = 0;
    hold:
      do {
        co_await clock();
        sum = phase + step;
        phase = truncate<UInt16>(sum);
      } while (!sum[16]);
      bits = concat(UInt1(1), slice<9, 1>(bits));
      count += 1;
    } while (count != 10);
  }
}

}  // namespace systole::board
