#pragma once

#include "systole/hls/int.h"
#include "systole/hls/stream.h"
#include "systole/hls/vec.h"

namespace systole::hls {

/// Elements side by side in memory.
struct AxiRun {
  UInt<40> address;  ///< in bytes, a multiple of the element's
  UInt<32> count;    ///< of elements
};

/// A burst on AR or AW: INCR, whole beats.
struct AxiBurst {
  UInt<40> address;
  UInt<8> beats_less_one;
};

/// Beats of a burst at most, and the multiple of beats at which bursts are cut.
inline constexpr int kAxiBurstBeats = 16;

/// Cuts runs into bursts.
///
/// Shapes   a burst covers whole beats and ends at a multiple of kAxiBurstBeats beats or at the
///          run's last one, so that none crosses 4 KiB
/// Timing   a burst is offered one clock after its run is taken; one burst a clock
/// Limits   addresses wrap at 2^40
template <int kElementBytes, int kBusBytes>
struct AxiBursts {
  static_assert(kBusBytes * kAxiBurstBeats <= 4096, "a burst must not cross 4 KiB");
  static constexpr int kBeatBits = index_bits(kBusBytes + 1) - 1;  ///< of a byte's place in a beat
  using Beats = UInt<40 - kBeatBits>;

  struct Inputs {
    Beat<AxiRun> run;
    UInt1 burst_ready;
  };
  struct Outputs {
    UInt1 run_ready;
    Beat<AxiBurst> burst;
  };

  Outputs outputs() const {
    return {.run_ready = ~active_,
            .burst = {.valid = active_,
                      .data = {.address = truncate<UInt<40>>(first_ * UInt<8>(kBusBytes)),
                               .beats_less_one = beats_less_one()}}};
  }

  void clock(const Inputs& in) {
    if (active_ && in.burst_ready) {
      const auto beats = beats_less_one();
      if (left_less_one_ == beats) active_ = UInt1(0);
      first_ = truncate<Beats>(first_ + beats + UInt1(1));
      left_less_one_ = truncate<Beats>(left_less_one_ - beats - UInt1(1));
    } else if (!active_ && in.run.valid && in.run.data.count != 0) {
      const UInt<40> last_byte = truncate<UInt<40>>(
          in.run.data.address + in.run.data.count * UInt<8>(kElementBytes) - UInt1(1));
      const Beats first = slice<39, kBeatBits>(in.run.data.address);
      active_ = UInt1(1);
      first_ = first;
      left_less_one_ = truncate<Beats>(slice<39, kBeatBits>(last_byte) - first);
    }
  }

  void reset() { active_ = UInt1(0); }

 private:
  UInt1 active_;
  Beats first_;          ///< of the burst that is offered
  Beats left_less_one_;  ///< from there

  UInt<8> beats_less_one() const {
    const UInt<4> to_end = ~slice<3, 0>(first_);
    return left_less_one_ < to_end ? truncate<UInt<8>>(left_less_one_) : UInt<8>(to_end);
  }
};

}  // namespace systole::hls
