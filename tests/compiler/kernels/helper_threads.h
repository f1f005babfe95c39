#pragma once

#include "systole/hls/thread.h"
#include "systole/hls/vec.h"

namespace systole::tests {

using namespace systole::hls;
using systole::hls::clock;

/// Two bytes, low first.
inline Task<UInt<16>> read_word(StreamIn<UInt8>& bytes) {
  const UInt8 low = co_await bytes.pop();
  const UInt8 high = co_await bytes.pop();
  co_return concat(high, low);
}

/// A helper that a helper awaits, with a loop around it and a result of several parts.
struct WordPacket {
  UInt<2> length;
  Vec<UInt<16>, 3> words;
};
inline Task<WordPacket> read_packet(StreamIn<UInt8>& bytes) {
  WordPacket packet = {};
  packet.length = slice<1, 0>(co_await bytes.pop());
word:
  for (int i = 0; i < 3; ++i) {
    if (packet.length == UInt<2>::from(i)) break;
    packet.words[i] = co_await read_word(bytes);
  }
  co_return packet;
}

/// Writes an output register while it waits, and may return without a wait.
inline Thread flash(UInt<4>& lamp, UInt<2> times) {
  for (UInt<2> i; i < times; ++i) {
    ++lamp;
    co_await clock();
  }
}

/// Helpers with a result and without, called twice, in a condition and in an expression.
inline Thread packets(StreamIn<UInt8>& bytes, StreamOut<UInt<16>>& sums, UInt<4>& lamp) {
  lamp = 0;
packet:
  for (;;) {
    const WordPacket packet = co_await read_packet(bytes);
    UInt<16> sum = co_await read_word(bytes);
    for (int i = 0; i < 3; ++i) sum ^= packet.words[i];
    if (sum[0]) co_await flash(lamp, packet.length);
    co_await sums.push(sum);
    co_await flash(lamp, 1);
  }
}

}  // namespace systole::tests
