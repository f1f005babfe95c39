#pragma once

#include "systole/hls/thread.h"

/// 50 pops, 50 pushes and 100 waits for the clock, each a state of its own.
namespace systole::tests {

using namespace systole::hls;
using systole::hls::clock;

template <int kLeft>
inline Thread steps(StreamIn<UInt16>& in, StreamOut<UInt16>& out, UInt16& sum) {
  const UInt16 x = co_await in.pop();
  co_await clock();
  sum += x;
  co_await clock();
  co_await out.push(sum ^ x);
  if constexpr (kLeft > 1) co_await steps<kLeft - 1>(in, out, sum);
}

inline Thread many_states(StreamIn<UInt16>& in, StreamOut<UInt16>& out, UInt16& sum) {
  sum = 0;
  for (;;) co_await steps<50>(in, out, sum);
}

}  // namespace systole::tests
