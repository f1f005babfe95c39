#pragma once

#include "systole/hls/int.h"
#include "systole/hls/stream.h"
#include "systole/hls/stream_pipeline.h"
#include "systole/hls/vec.h"

namespace systole::tests {

using namespace systole::hls;

/// A queue and a register slice in a row, of any type; the queue's wires are written out.
template <typename T, int kDepth>
struct Queued {
  struct Inputs {
    Beat<T> in;
    UInt1 out_ready;
  };
  struct Outputs {
    UInt1 in_ready;
    Beat<T> out;
  };
  Outputs outputs() const {
    return {.in_ready = fifo_.outputs().push_ready, .out = slice_.outputs().pop};
  }
  void clock(const Inputs& in) {
    const auto queue = fifo_.outputs();
    const auto slice = slice_.outputs();
    fifo_.clock({.push = in.in, .pop_ready = slice.push_ready});
    slice_.clock({.push = queue.pop, .pop_ready = in.out_ready});
  }
  void reset() {
    fifo_.reset();
    slice_.reset();
  }

 private:
  Fifo<T, kDepth> fifo_;
  RegisterSlice<T> slice_;
};

struct Pixel {
  UInt<5> red;
  Vec<UInt<3>, 2> others;
  bool last;
};

using QueuedByte = Queued<UInt<8>, 1>;
using QueuedVector = Queued<Vec<UInt<13>, 3>, 5>;
using QueuedPixel = Queued<Pixel, 4>;

/// A submodule whose register is a struct's, beside its queue: what is popped is used in place.
struct Summed {
  struct Inputs {
    Beat<Pixel> in;
    UInt1 take;
  };
  struct Outputs {
    UInt1 in_ready;
    UInt<10> sum;
    UInt1 last;
  };
  Outputs clock(const Inputs& in) {
    const auto queue = fifo_.outputs();
    const Outputs out{.in_ready = queue.push_ready, .sum = sum_, .last = as_bit(last_)};
    fifo_.clock({.push = in.in, .pop_ready = in.take});
    if (queue.pop.valid && in.take) {
      sum_ = truncate<UInt<10>>(sum_ + queue.pop.data.red + queue.pop.data.others[1]);
      last_ = queue.pop.data.last;
    }
    return out;
  }
  void reset() {
    fifo_.reset();
    sum_ = UInt<10>(0);
    last_ = false;
  }

 private:
  Fifo<Pixel, 3> fifo_;
  UInt<10> sum_;
  bool last_;
};

/// Takes pairs and gives their sums: every other element goes out.
struct PairSum {
  struct Inputs {
    Beat<UInt<8>> in;
    UInt1 out_ready;
  };
  struct Outputs {
    UInt1 in_ready;
    Beat<UInt<9>> out;
  };
  Outputs outputs() const { return {.in_ready = ~full_, .out = {.valid = full_, .data = sum_}}; }
  void clock(const Inputs& in) {
    if (full_) {
      full_ = ~in.out_ready;
    } else if (in.in.valid) {
      sum_ = second_ ? truncate<UInt<9>>(sum_ + in.in.data) : UInt<9>(in.in.data);
      full_ = second_;
      second_ = ~second_;
    }
  }
  void reset() {
    full_ = UInt1(0);
    second_ = UInt1(0);
  }

 private:
  UInt<9> sum_;
  UInt1 full_;
  UInt1 second_;
};

/// Processes that channels connect into a top module: each is read before any is clocked, so the
/// order of the edges is free.
struct Connected {
  struct Inputs {
    Beat<UInt<8>> in;
    UInt1 out_ready;
  };
  struct Outputs {
    UInt1 in_ready;
    Beat<UInt<9>> out;
  };
  Outputs outputs() const { return {.in_ready = bytes_.ready(), .out = sums_.front()}; }
  void clock(const Inputs& in) {
    const auto pair = pair_.outputs();
    const Beat<UInt<8>> byte = bytes_.front();
    sums_.push(pair.out);
    pair_.clock({.in = byte, .out_ready = sums_.ready()});
    bytes_.push(in.in);
    bytes_.pop(pair.in_ready);
    sums_.pop(in.out_ready);
    sums_.update();
    bytes_.update();
  }
  void reset() {
    pair_.reset();
    bytes_.reset();
    sums_.reset();
  }

 private:
  Channel<UInt<8>, 3> bytes_;
  PairSum pair_;
  Channel<UInt<9>, 2> sums_;
};

/// Pushes only now and then, through an `if`.
struct Gated {
  struct Inputs {
    Beat<UInt<6>> in;
    UInt1 gate;
    UInt1 out_ready;
  };
  struct Outputs {
    Beat<UInt<6>> out;
    UInt1 taken;
  };
  Outputs outputs() const { return {.out = queue_.front(), .taken = taken_}; }
  void clock(const Inputs& in) {
    const UInt1 ready = queue_.ready();
    if (in.gate) queue_.push(in.in);
    if (in.out_ready) queue_.pop(UInt1(1));
    queue_.update();
    taken_ = in.in.valid & in.gate & ready;
    unread_ = truncate<UInt<20>>(unread_ + in.in.data);  // nobody reads it: no register
  }
  void reset() {
    queue_.reset();
    taken_ = UInt1(0);
    unread_ = UInt<20>(0);
  }

 private:
  Channel<UInt<6>, 2> queue_;
  UInt1 taken_;
  UInt<20> unread_;
};

/// Wires between two streams: the output keeps the rule as long as the input does.
struct Doubled {
  struct Inputs {
    UInt1 out_ready;
    UInt<3> offset;
    Beat<UInt<6>> in;
  };
  struct Outputs {
    Beat<UInt<7>> out;
    UInt<3> count;
    UInt1 in_ready;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.out = {.valid = in.in.valid, .data = in.in.data + in.in.data},
                      .count = count_,
                      .in_ready = in.out_ready};
    if (in.in.valid && in.out_ready) count_ = truncate<UInt<3>>(count_ + in.offset);
    return out;
  }
  void reset() { count_ = UInt<3>(0); }

 private:
  UInt<3> count_;
};

/// ((x * 5) ^ (x >> 3)) * 11 + 1: enough for several stages.
inline UInt<24> mixed(const UInt<12>& x) {
  const auto five = x * UInt<3>(5);
  const UInt<15> crossed = five ^ (x >> UInt<2>(3));
  return truncate<UInt<24>>(crossed * UInt<4>(11) + UInt1(1));
}
template <int kStages>
using Stalling = StreamPipeline<&mixed, kStages>;

/// Two stalling pipelines and a register slice in a row, in a parent of their own.
struct Row {
  static UInt<12> low(const UInt<24>& x) { return truncate<UInt<12>>(x + slice<23, 12>(x)); }
  struct Inputs {
    Beat<UInt<12>> in;
    UInt1 out_ready;
  };
  struct Outputs {
    UInt1 in_ready;
    Beat<UInt<24>> out;
  };
  Outputs clock(const Inputs& in) {
    const auto slice = slice_.outputs();
    const auto last = last_.clock({.in = slice.pop, .out_ready = in.out_ready});
    const auto middle = middle_.clock({.in = queue_.front(), .out_ready = slice.push_ready});
    slice_.clock({.push = middle.out, .pop_ready = last.in_ready});
    queue_.pop(middle.in_ready);
    const auto first = first_.clock({.in = in.in, .out_ready = queue_.ready()});
    queue_.push(first.out);
    queue_.update();
    return {.in_ready = first.in_ready, .out = last.out};
  }
  void reset() {
    first_.reset();
    queue_.reset();
    middle_.reset();
    slice_.reset();
    last_.reset();
  }

 private:
  StreamPipeline<&mixed, 3> first_;
  Channel<UInt<24>, 2> queue_;
  StreamPipeline<&low, 2> middle_;
  RegisterSlice<UInt<12>> slice_;
  StreamPipeline<&mixed, 1> last_;
};

/// Breaks the rule: what it offers changes whether it is taken or not.
struct Impatient {
  struct Inputs {
    UInt1 out_ready;
  };
  struct Outputs {
    Beat<UInt<4>> out;
    UInt1 taken;
  };
  Outputs outputs() const {
    return {.out = {.valid = slice<1, 1>(count_), .data = count_}, .taken = taken_};
  }
  void clock(const Inputs& in) {
    count_ = truncate<UInt<4>>(count_ + UInt1(1));
    taken_ = in.out_ready;
  }
  void reset() {
    count_ = UInt<4>(0);
    taken_ = UInt1(0);
  }

 private:
  UInt<4> count_;
  UInt1 taken_;
};

}  // namespace systole::tests
