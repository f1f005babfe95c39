#pragma once

#include "systole/hls/int.h"

namespace systole::hls {

/// A stream's content in one clock: an element, if `valid` is set. At a module's boundary a stream
/// is a `Beat<T> name` one way and a `UInt1 name_ready` the other; an element is transferred at an
/// edge where both valid and ready are set.
///
/// Limits   valid never waits for ready; while valid && !ready, valid stays high and data stable
template <typename T>
struct Beat {
  UInt1 valid;
  T data;
};

/// A queue of up to kDepth elements, first in, first out: the cell rtl/cells/systole_fifo.sv.
///
/// Shapes   T is an integer, an enum, a Vec or a struct of those
/// Limits   kDepth >= 1, any number; words are registers or LUT RAM, not block RAM
/// Timing   an element leaves at the earliest one clock after it entered. From depth 2 on, one
///          element a clock both ways; at depth 1, one every other clock: push_ready depends on
///          registers alone, so a full queue takes nothing even while it is popped
/// Numbers  pop.data is the oldest element; while pop.valid is 0, it is a stale one
template <typename T, int kDepth>
class Fifo {
  static_assert(kDepth >= 1, "a Fifo holds at least one element");

 public:
  struct Inputs {
    Beat<T> push;
    UInt1 pop_ready;
  };
  struct Outputs {
    UInt1 push_ready;
    Beat<T> pop;
  };

  Outputs outputs() const {
    return {.push_ready = as_bit(count_ != kFull),
            .pop = {.valid = as_bit(count_ != Count(0)), .data = word_[read_.value()]}};
  }

  void clock(const Inputs& in) {
    const bool push = in.push.valid && count_ != kFull;
    const bool pop = in.pop_ready && count_ != Count(0);
    if (push) {
      word_[write_.value()] = in.push.data;
      write_ = next(write_);
    }
    if (pop) read_ = next(read_);
    if (push && !pop) count_ = truncate<Count>(count_ + UInt1(1));
    if (pop && !push) count_ = truncate<Count>(count_ - UInt1(1));
  }

  void reset() {
    write_ = Place(0);
    read_ = Place(0);
    count_ = Count(0);
  }

 private:
  using Place = UInt<index_bits(kDepth)>;
  using Count = UInt<index_bits(kDepth + 1)>;
  static constexpr Count kFull = Count(kDepth);

  static Place next(const Place& place) {
    return place == Place(kDepth - 1) ? Place(0) : truncate<Place>(place + UInt1(1));
  }

  T word_[1 << index_bits(kDepth)];  // as many as Place can count; the last may be unused
  Place write_;
  Place read_;
  Count count_;
};

#ifdef SYSTOLE_HLSC
/// Lets `hlsc` see who uses a channel or drives a wire, to refuse two in one clock.
namespace use {
void pop(const void* channel) asm("hls.channel_pop");
void push(const void* channel) asm("hls.channel_push");
void drive(const void* wire) asm("hls.drive_wire");
}  // namespace use
#else
namespace use {
inline void pop(const void*) {}
inline void push(const void*) {}
inline void drive(const void*) {}
}  // namespace use
#endif

/// A Fifo with its wires, to connect two processes of one module. In each clock, one side calls
/// push and the other pop, depending on ready() and front(); update() is the edge.
///
/// Limits   one push and one pop a clock; ready() and front() are read before update()
/// Timing   without a push in a clock, nothing is offered; without a pop, nothing is taken
template <typename T, int kDepth>
class Channel {
 public:
  UInt1 ready() const { return fifo_.outputs().push_ready; }
  Beat<T> front() const { return fifo_.outputs().pop; }

  void push(const Beat<T>& beat) {
    use::push(this);
    push_ = beat;
  }
  void pop(const UInt1& ready) {
    use::pop(this);
    pop_ready_ = ready;
  }

  void update() {
    fifo_.clock({.push = push_, .pop_ready = pop_ready_});
    push_.valid = UInt1(0);
    pop_ready_ = UInt1(0);
  }

  void reset() {
    fifo_.reset();
    push_.valid = UInt1(0);
    pop_ready_ = UInt1(0);
  }

 private:
  Fifo<T, kDepth> fifo_;
  Beat<T> push_;  // wires: in every clock written before they are read, so they need no registers
  UInt1 pop_ready_;
};

/// A stream cut by registers in both directions: the cell rtl/cells/systole_register_slice.sv.
///
/// Shapes   as a Fifo's
/// Timing   latency one clock, one element a clock. Every output is a register, so no path crosses
///          it.
/// Numbers  holds two elements: the one it offers, and one that arrived during a stall
template <typename T>
class RegisterSlice {
 public:
  struct Inputs {
    Beat<T> push;
    UInt1 pop_ready;
  };
  struct Outputs {
    UInt1 push_ready;
    Beat<T> pop;
  };

  Outputs outputs() const {
    return {.push_ready = ready_, .pop = {.valid = valid_, .data = data_}};
  }

  void clock(const Inputs& in) {
    const bool arrives = in.push.valid && ready_;
    if (in.pop_ready || !valid_) {
      if (ready_) {
        data_ = in.push.data;
      } else {
        data_ = spare_;
      }
      valid_ = as_bit(arrives || !ready_);
      ready_ = UInt1(1);
    } else if (arrives) {
      spare_ = in.push.data;
      ready_ = UInt1(0);
    }
  }

  void reset() {
    valid_ = UInt1(0);
    ready_ = UInt1(1);
  }

 private:
  UInt1 valid_;
  UInt1 ready_;
  T data_;
  T spare_;
};

}  // namespace systole::hls
