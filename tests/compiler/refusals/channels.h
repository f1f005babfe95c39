#include "systole/hls/thread.h"

using namespace systole::hls;
using systole::hls::clock;

inline Thread send(StreamIn<UInt8>& bytes, UInt1& line) {
  line = 1;
  for (;;) {
    const UInt8 byte = co_await bytes.pop();
    line = slice<0, 0>(byte);
    co_await clock();
  }
}
inline Thread receive(const UInt1& line, StreamOut<UInt8>& bytes) {
  for (;;) {
    co_await clock();
    co_await bytes.push(line);
  }
}

struct Top {
  struct Inputs {
    Beat<UInt8> in;
    UInt1 out_ready;
  };
  struct Outputs {
    UInt1 in_ready;
    Beat<UInt8> out;
    UInt1 line;
  };
  Outputs outputs() const { return {.in_ready = in_.ready(), .out = out_.front(), .line = line_}; }
  void reset() {
    in_.reset();
    out_.reset();
    send_.reset();
    receive_.reset();
    line_ = 1;
  }

 private:
  Channel<UInt8, 4> in_;
  Channel<UInt8, 4> out_;
  Process<&send> send_;
  Process<&receive> receive_;
  UInt1 line_;

 public:
// ---- channel_with_two_readers
  void clock(const Inputs& in) {
    in_.push(in.in);
    receive_.connect(line_, out_);
    send_.connect(out_, line_);
    out_.pop(in.out_ready);  // refused at 10: this channel is popped twice in one clock
    in_.update();
    out_.update();
  }
};
// ---- channel_with_two_writers
  void clock(const Inputs& in) {
    in_.push(in.in);
    out_.push(in.in);
    send_.connect(in_, line_);
    receive_.connect(line_, out_);  // refused at 14: this channel is pushed to twice in one clock
    out_.pop(in.out_ready);
    in_.update();
    out_.update();
  }
};
// ---- wire_with_two_drivers
  void clock(const Inputs& in) {
    in_.push(in.in);
    send_.connect(in_, line_);
    receive_.connect(line_, out_);
    again_.connect(out_, line_);  // refused at 12: two threads drive this wire
    in_.update();
    out_.update();
  }
  Process<&send> again_;
};
