#pragma once

#include "systole/hls/int.h"
#include "systole/hls/kernel.h"
#include "systole/hls/vec.h"

// Functions over arrays with streams, each for one thing that they do.
namespace systole::tests {

using namespace systole::hls;

inline void scaled_stream(Stream<Int<8>>& in, Stream<Int<16>>& out, Int<8> factor) {
  for (int i = 0; i < 37; ++i) out.push(in.pop() * factor);
}

/// Reads memory behind the pop: the words that were read stay while the stream stalls.
inline void looked_up(Stream<UInt<5>>& in, const Vec<UInt<8>, 32>& table, Stream<UInt<9>>& out) {
  Vec<UInt<8>, 32> copy;
  for (int i = 0; i < 32; ++i) copy[i] = table[31 - i];
  for (int i = 0; i < 50; ++i) {
    const UInt<5> at = in.pop();
    out.push(table[static_cast<int>(at.value())] + copy[static_cast<int>(at.value())]);
  }
}

/// A pop and a push under conditions, and two streams that come in.
inline void merged(Stream<UInt<8>>& a, Stream<UInt<8>>& b, Stream<UInt<8>>& out, UInt<16>& from_a) {
  UInt<16> count = 0;
  UInt<8> next_a = a.pop();
  UInt<8> next_b = b.pop();
  for (int i = 0; i < 64; ++i) {
    const bool takes_a = next_a < next_b;
    if (takes_a || i % 8 != 0) out.push(takes_a ? next_a : next_b);
    if (takes_a) {
      next_a = a.pop();
      count += 1;
    } else {
      next_b = b.pop();
    }
  }
  from_a = count;
}

/// Until a zero comes; its length is not known before.
inline void terminated(Stream<UInt<3>>& in, Stream<UInt<8>>& sums) {
  UInt<8> sum = 0;
  UInt<3> value = 0;
  do {
    value = in.pop();
    sum += value;
    sums.push(sum);
  } while (value != 0);
}

/// Two elements in an iteration: an interval of 2 on one stream.
inline void pairs(Stream<UInt<8>>& in, Stream<UInt<9>>& out) {
  for (int i = 0; i < 20; ++i) {
    const UInt<8> first = in.pop();
    const UInt<8> second = in.pop();
    out.push(first + second);
  }
}

/// Outside of loops, and with an array in between.
inline void reversed_stream(Stream<UInt<8>>& in, Stream<UInt<8>>& out, Vec<UInt<8>, 16>& last) {
  const UInt<8> count = in.pop();
  for (int i = 0; i < 16; ++i) last[i] = in.pop();
  out.push(count);
  for (int i = 0; i < 16; ++i) out.push(last[15 - i]);
}

/// What is popped may be the answer to what was pushed: the loop's pop comes after its push.
inline void asked(Stream<UInt<8>>& questions, Stream<UInt<8>>& answers, UInt<16>& sum) {
  UInt<16> all = 0;
  for (int i = 0; i < 9; ++i) {
    sequential();
    questions.push(UInt<8>::from(i));
    all += answers.pop();
  }
  sum = all;
}

}  // namespace systole::tests
