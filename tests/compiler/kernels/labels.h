#pragma once

#include "systole/hls/int.h"
#include "systole/hls/thread.h"

namespace systole::tests {

using namespace hls;

/// Labels of statements that wait, of one that branches first, and of a loop: the states are
/// StFetch, StDecode, StSkip (the loop's label, for the wait in the branch) and StExecute.
inline Thread labelled_states(StreamIn<UInt8>& words, StreamOut<UInt8>& results) {
  UInt8 sum;
  UInt8 word;
skip:
  for (;;) {
  fetch:
    word = co_await words.pop();
    UInt8 step = word;
    if (word[0]) {
    decode:
      step = truncate<UInt8>(step + UInt8(3));
      co_await clock();
    }
  branch:
    if (word[1]) {
      co_await clock();
    }
    sum = truncate<UInt8>(sum + step);
  execute:
    co_await results.push(sum);
  }
}

}  // namespace systole::tests
