#pragma once

#include "systole/hls/int.h"
#include "systole/hls/pipeline.h"
#include "systole/hls/stream.h"
#include "systole/hls/thread.h"
#include "systole/hls/vec.h"

namespace mine {

using namespace systole::hls;
using systole::hls::clock;  // <ctime> has another one

/// A thread with one output register.
inline Thread blink(UInt1& led) {
  led = 0;
  for (;;) {
    co_await clock();
    led = ~led;
  }
}

struct Pair {
  UInt8 low;
  bool swap;
  UInt8 high[2];
};

/// A pipelined function of a struct with an array.
inline Pair mix(const Pair& in, const Vec<UInt8, 2>& by) {
  Pair out = in;
  if (in.swap) out.high[0] = in.high[1] ^ by[0];
  out.low += by[1];
  return out;
}

struct Flit {
  UInt<2> to;
  UInt16 payload;
  bool last;
};

/// C arrays of beats at the ports: each output takes the lowest input that wants it.
struct Crossbar {
  static constexpr int kPorts = 4;
  struct Inputs {
    Beat<Flit> in[kPorts];
    UInt1 out_ready[kPorts];
  };
  struct Outputs {
    UInt1 in_ready[kPorts];
    Beat<Flit> out[kPorts];
  };
  Outputs clock(const Inputs& in) {
    Outputs out;
    for (int i = 0; i < kPorts; ++i) out.in_ready[i] = 0;
    for (int o = 0; o < kPorts; ++o) {
      const auto queue = out_[o].outputs();
      out.out[o] = queue.pop;
      Beat<Flit> beat;
      beat.valid = 0;
      beat.data = in.in[0].data;
      for (int i = kPorts - 1; i >= 0; --i) {
        if (in.in[i].valid && in.in[i].data.to == UInt<2>::from(static_cast<unsigned>(o))) {
          beat = in.in[i];
        }
      }
      bool taken = false;
      for (int i = 0; i < kPorts; ++i) {
        const bool wants =
            in.in[i].valid && in.in[i].data.to == UInt<2>::from(static_cast<unsigned>(o));
        if (wants && !taken) out.in_ready[i] = queue.push_ready;
        taken = taken || wants;
      }
      out_[o].clock({.push = beat, .pop_ready = in.out_ready[o]});
    }
    return out;
  }
  void reset() {
    for (int o = 0; o < kPorts; ++o) out_[o].reset();
  }

 private:
  RegisterSlice<Flit> out_[kPorts];
};

/// A module without inputs.
struct Ticker {
  struct Inputs {};
  struct Outputs {
    UInt8 count;
  };
  Outputs outputs() const { return {.count = count_}; }
  void clock(const Inputs&) { ++count_; }
  void reset() { count_ = 0; }

 private:
  UInt8 count_;
};

enum class Opcode : unsigned char { kLoad = 0x03, kBranch = 0x63, kJump = 0x6f };
enum class Step { kBack = -100, kNone = 0, kAhead = 900 };

/// Enumerators of any value.
struct Decoder {
  struct Inputs {
    Opcode opcode;
    bool ahead;
  };
  struct Outputs {
    Opcode last;
    Step step;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.last = last_, .step = step_};
    last_ = in.opcode;
    step_ = in.opcode != Opcode::kBranch ? Step::kNone : in.ahead ? Step::kAhead : Step::kBack;
    return out;
  }
  void reset() {
    last_ = Opcode::kJump;
    step_ = Step::kNone;
  }

 private:
  Opcode last_;
  Step step_;
};

}  // namespace mine
