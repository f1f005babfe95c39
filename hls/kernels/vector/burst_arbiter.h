#pragma once

#include "systole/hls/int.h"
#include "systole/hls/stream.h"

namespace systole::kernels {

using namespace systole::hls;

/// Chooses whose burst is offered on a bus that four streams share, and remembers whose beats come.
///
/// Timing   a burst a clock; a clock passes before a stream that comes to an idle bus is offered
/// Limits   an offer stays until it is taken; kPlaces bursts may be under way
template <int kPlaces>
struct BurstArbiter {
  struct Inputs {
    UInt<4> offers;  ///< a bit for each stream
    UInt1 taken;     ///< the selected one's burst
    UInt1 done;      ///< the owner's last beat
    UInt1 rests;  ///< nothing is under way: with no offer either, what follows is chosen as after
                  ///< reset, so that a program takes the same clocks whatever ran before
  };
  struct Outputs {
    UInt<2> selected;     ///< the stream whose burst is offered
    UInt1 has_room;       ///< for another burst
    Beat<UInt<2>> owner;  ///< of the beats that come
  };

  Outputs outputs() const {
    return {.selected = selected_, .has_room = has_room_, .owner = owners_.outputs().pop};
  }

  void clock(const Inputs& in) {
    // Without the burst that ends in this clock, so that neither waits for the other.
    has_room_ = as_bit(under_way_ < (in.taken ? Count(kPlaces - 1) : Count(kPlaces)));
    under_way_ = truncate<Count>(under_way_ + in.taken - in.done);
    owners_.clock({.push = {.valid = in.taken, .data = selected_}, .pop_ready = in.done});
    const auto has = [&](const UInt<2>& stream) { return bit<0>(in.offers >> stream); };
    const auto first = truncate<UInt<2>>(selected_ + UInt<2>(1));
    const auto second = truncate<UInt<2>>(selected_ + UInt<2>(2));
    const auto third = truncate<UInt<2>>(selected_ + UInt<2>(3));
    const UInt<2> last = in.rests ? UInt<2>(0) : selected_;
    const UInt<2> next = has(first) ? first : has(second) ? second : has(third) ? third : last;
    if (in.taken || !has(selected_)) selected_ = next;
  }

  void reset() {
    owners_.reset();
    selected_ = UInt<2>(0);
    under_way_ = Count(0);
    has_room_ = UInt1(1);
  }

 private:
  using Count = UInt<index_bits(kPlaces + 1)>;

  UInt<2> selected_;
  Count under_way_;
  UInt1 has_room_;
  Fifo<UInt<2>, kPlaces> owners_;
};

}  // namespace systole::kernels
