#pragma once

#include "systole/hls/axi_bursts.h"
#include "systole/hls/axi_lanes.h"

namespace systole::hls {

/// Writes runs of elements to memory on AXI4, in order.
///
/// Timing   an element a clock while memory takes beats. Every output is a register, or a queue's
///          front
/// Limits   kRuns runs are under way; kBeats beats wait, and may be offered before their burst
/// Errors   `error` from a burst that was answered with one until `clear`
template <int kElementBytes, int kBusBytes>
struct AxiWriter {
  static constexpr int kRuns = 4;
  static constexpr int kBeats = 16;
  using Lanes = AxiLanes<kElementBytes, kBusBytes>;
  static constexpr int kLanes = Lanes::kLanes;
  static constexpr int kBeatBits = index_bits(kBusBytes + 1) - 1;
  using Element = typename Lanes::Element;
  using Lane = typename Lanes::Lane;

  /// A beat of W.
  struct WriteBeat {
    typename Lanes::Elements data;
    Vec<UInt<kElementBytes>, kLanes> strobe;
    UInt1 last;
  };
  struct Inputs {
    Beat<AxiRun> run;
    Beat<Element> element;
    UInt1 clear;
    UInt1 request_ready;
    UInt1 write_ready;
    Beat<UInt1> response;  ///< whether it is an error
  };
  struct Outputs {
    UInt1 run_ready;
    UInt1 element_ready;
    UInt1 idle;  ///< every run is written and acknowledged
    UInt1 error;
    Beat<AxiBurst> request;
    Beat<WriteBeat> write;
    UInt1 response_ready;
  };

  Outputs outputs() const {
    return {.run_ready = bursts_.outputs().run_ready & runs_.outputs().push_ready,
            .element_ready = running_ & beats_.outputs().push_ready,
            .idle = bursts_.outputs().run_ready & ~runs_.outputs().pop.valid & ~running_ &
                    as_bit(owed_ == 0),
            .error = error_,
            .request = {.valid = bursts_.outputs().burst.valid & as_bit(owed_ != kMostOwed),
                        .data = bursts_.outputs().burst.data},
            .write = beats_.outputs().pop,
            .response_ready = UInt1(1)};
  }

  void clock(const Inputs& in) {
    const UInt1 takes_run = in.run.valid & bursts_.outputs().run_ready & runs_.outputs().push_ready;
    const UInt1 may_ask = as_bit(owed_ != kMostOwed);
    const UInt1 asks = bursts_.outputs().burst.valid & may_ask & in.request_ready;
    const UInt1 is_answered = in.response.valid & as_bit(owed_ != 0);
    const auto run = runs_.outputs().pop;
    const UInt1 takes = running_ & in.element.valid & beats_.outputs().push_ready;
    const UInt1 is_last = as_bit(left_ == 1);
    const UInt1 ends_beat = is_last | as_bit(lane_ == kLanes - 1);
    const UInt1 starts = run.valid & ~running_;

    WriteBeat beat = with(in.element.data);
    beat.last = is_last | as_bit(place_ == kAxiBurstBeats - 1);
    beats_.clock({.push = {.valid = takes & ends_beat, .data = beat}, .pop_ready = in.write_ready});
    owed_ = truncate<UInt<7>>(owed_ + asks - is_answered);
    error_ = (is_answered & in.response.data) | (error_ & ~in.clear);
    if (takes) {
      beat_.data = beat.data;
      beat_.strobe = beat.strobe;
      left_ = truncate<UInt<32>>(left_ - UInt1(1));
      lane_ = ends_beat ? Lane(0) : truncate<Lane>(lane_ + UInt1(1));
      if (is_last) running_ = UInt1(0);
      if (ends_beat) {
        place_ = truncate<UInt<4>>(place_ + UInt1(1));
        clear_strobes();
      }
    }
    if (starts) {
      running_ = as_bit(run.data.count != 0);
      left_ = run.data.count;
      lane_ = run.data.lane;
      place_ = run.data.place;
      clear_strobes();
    }
    runs_.clock({.push = {.valid = takes_run,
                          .data = {.lane = Lanes::at(in.run.data.address),
                                   .place = slice<kBeatBits + 3, kBeatBits>(in.run.data.address),
                                   .count = in.run.data.count}},
                 .pop_ready = starts});
    bursts_.clock({.run = {.valid = takes_run, .data = in.run.data},
                   .burst_ready = in.request_ready & may_ask});
  }

  void reset() {
    bursts_.reset();
    runs_.reset();
    beats_.reset();
    running_ = UInt1(0);
    owed_ = UInt<7>(0);
    error_ = UInt1(0);
  }

 private:
  struct Run {
    Lane lane;      ///< of its first element
    UInt<4> place;  ///< of its first beat among the kAxiBurstBeats that a burst is cut from
    UInt<32> count;
  };
  struct Partial {
    typename Lanes::Elements data;
    Vec<UInt<kElementBytes>, kLanes> strobe;
  };
  static constexpr int kMostOwed = 64;  ///< bursts without an answer

  AxiBursts<kElementBytes, kBusBytes> bursts_;
  Fifo<Run, kRuns> runs_;
  Fifo<WriteBeat, kBeats> beats_;
  UInt1 running_;
  Lane lane_;      ///< of the next element
  UInt<4> place_;  ///< of the beat that it is in
  UInt<32> left_;  ///< elements of the run
  Partial beat_;   ///< what has come of the beat
  UInt<7> owed_;
  UInt1 error_;

  /// The element in its lane, beside what has come before it; lanes without a strobe repeat it.
  WriteBeat with(const Element& element) const {
    WriteBeat beat;
#pragma unroll
    for (int i = 0; i < kLanes; ++i) {
      const bool here = kLanes == 1 || lane_ == Lane::from(i);
      beat.data[i] = beat_.strobe[i] != 0 ? beat_.data[i] : element;
      beat.strobe[i] = here ? ~UInt<kElementBytes>(0) : beat_.strobe[i];
    }
    return beat;
  }
  void clear_strobes() {
#pragma unroll
    for (int i = 0; i < kLanes; ++i) beat_.strobe[i] = UInt<kElementBytes>(0);
  }
};

}  // namespace systole::hls
