#pragma once

#include "systole/hls/int.h"
#include "systole/hls/stream.h"
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

}  // namespace systole::tests
