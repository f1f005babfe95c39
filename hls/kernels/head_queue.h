#pragma once

#include "systole/hls/stream.h"

namespace systole::kernels {

using namespace systole::hls;

/// A Fifo whose oldest element is in registers, not behind a RAM's read port, for one that much
/// logic follows. Registers without a clock of their own; their owner advances them.
///
/// Timing   a Fifo's of this depth, on every edge
/// Numbers  while front().valid is 0, its data may be any element that was pushed
template <typename T, int kDepth>
class HeadQueue {
 public:
  UInt1 ready() const { return rest_.outputs().push_ready; }
  Beat<T> front() const { return {.valid = valid_, .data = head_}; }

  void move(const Beat<T>& push, const UInt1& pop_ready) {
    // The rest holds elements only behind a head.
    const auto rest = rest_.outputs().pop;
    const UInt1 advances = ~valid_ | pop_ready;
    const UInt1 passes = advances & ~rest.valid;
    rest_.clock(
        {.push = {.valid = push.valid & ~passes, .data = push.data}, .pop_ready = advances});
    if (advances) {
      valid_ = rest.valid | push.valid;
      head_ = rest.valid ? rest.data : push.data;
    }
  }

  void reset() {
    rest_.reset();
    valid_ = UInt1(0);
  }

 private:
  Fifo<T, kDepth - 1> rest_;
  T head_;
  UInt1 valid_;
};

}  // namespace systole::kernels
