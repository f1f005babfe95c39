#pragma once

#include "systole/hls/stream.h"
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

/// A queue of symbols that keeps them as runs: what goes in comes out, and up to 16 runs wait
/// between.
struct RunLengthQueue {
  struct Inputs {
    Beat<Symbol> in;
    UInt1 out_ready;
  };
  struct Outputs {
    UInt1 in_ready;
    Beat<Symbol> out;
  };

  Outputs outputs() const { return {.in_ready = in_.ready(), .out = out_.front()}; }

  void clock(const Inputs& in) {
    in_.push(in.in);
    encode_.connect(in_, runs_);
    decode_.connect(runs_, out_);
    out_.pop(in.out_ready);
    in_.update();
    runs_.update();
    out_.update();
  }

  void reset() {
    in_.reset();
    encode_.reset();
    runs_.reset();
    decode_.reset();
    out_.reset();
  }

 private:
  Channel<Symbol, 2> in_;
  Process<&encode> encode_;
  Channel<Run, 16> runs_;
  Process<&decode> decode_;
  Channel<Symbol, 2> out_;
};

}  // namespace run_length
