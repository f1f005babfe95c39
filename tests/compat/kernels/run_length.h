#pragma once

#include "ap_int.h"
#include "hls_stream.h"

namespace run_length {

using systole::hls::clock;
using systole::hls::StreamIn;
using systole::hls::StreamOut;
using systole::hls::Thread;

struct Run {
  ap_uint<8> value;
  ap_uint<4> length;
};

/// Replaces equal bytes in a row by the byte and how often it comes, up to 15 times.
inline Thread encode(StreamIn<ap_uint<8>>& bytes, StreamOut<Run>& runs) {
  Run run;
  run.value = 0;
  run.length = 0;
byte:
  for (;;) {
    const ap_uint<8> next = co_await bytes.pop();
    if (run.length != 0 && (next != run.value || run.length == 15)) {
      co_await runs.push(run);
      run.length = 0;
    }
    run.value = next;
    run.length++;
  }
}

}  // namespace run_length
