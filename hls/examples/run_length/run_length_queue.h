#pragma once

#include "decode.h"
#include "encode.h"
#include "systole/hls/stream.h"

namespace run_length {

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
