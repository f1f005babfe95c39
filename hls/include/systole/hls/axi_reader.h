#pragma once

#include "systole/hls/axi_bursts.h"
#include "systole/hls/axi_lanes.h"

namespace systole::hls {

/// Reads runs of elements from memory on AXI4, in order.
///
/// Timing   an element a clock once data comes; a run's bursts are asked for without waiting for
///          the data of those before. Every output is a register, or a queue's front
/// Limits   kRuns runs are under way; kBeats beats wait, and then R stalls
/// Errors   `error` from a beat that was answered with one until `clear`; its elements are passed
///          on
template <int kElementBytes, int kBusBytes>
struct AxiReader {
  static constexpr int kRuns = 4;
  static constexpr int kBeats = 16;
  using Lanes = AxiLanes<kElementBytes, kBusBytes>;
  static constexpr int kLanes = Lanes::kLanes;
  using Element = typename Lanes::Element;
  using Lane = typename Lanes::Lane;

  /// A beat of R.
  struct ReadBeat {
    typename Lanes::Elements data;
    UInt1 error;
  };
  struct Inputs {
    Beat<AxiRun> run;
    UInt1 element_ready;
    UInt1 clear;
    UInt1 request_ready;
    Beat<ReadBeat> read;
  };
  struct Outputs {
    UInt1 run_ready;
    Beat<Element> element;
    UInt1 error;
    Beat<AxiBurst> request;
    UInt1 read_ready;
  };

  Outputs outputs() const {
    return {.run_ready = bursts_.outputs().run_ready & runs_.outputs().push_ready,
            .element = elements_.outputs().pop,
            .error = error_,
            .request = bursts_.outputs().burst,
            .read_ready = beats_.outputs().push_ready};
  }

  void clock(const Inputs& in) {
    const UInt1 takes_run = in.run.valid & bursts_.outputs().run_ready & runs_.outputs().push_ready;
    const auto run = runs_.outputs().pop;
    const auto beat = beats_.outputs().pop;
    const UInt1 gives = running_ & beat.valid & elements_.outputs().push_ready;
    const UInt1 is_last = as_bit(left_ == 1);
    const UInt1 ends_beat = is_last | as_bit(lane_ == kLanes - 1);
    const UInt1 starts = run.valid & ~running_;

    elements_.clock({.push = {.valid = gives, .data = element_of(beat.data.data)},
                     .pop_ready = in.element_ready});
    beats_.clock({.push = in.read, .pop_ready = gives & ends_beat});
    error_ = (gives & ends_beat & beat.data.error) | (error_ & ~in.clear);
    if (gives) {
      left_ = truncate<UInt<32>>(left_ - UInt1(1));
      lane_ = ends_beat ? Lane(0) : truncate<Lane>(lane_ + UInt1(1));
      if (is_last) running_ = UInt1(0);
    }
    if (starts) {
      running_ = as_bit(run.data.count != 0);
      left_ = run.data.count;
      lane_ = run.data.lane;
    }
    runs_.clock(
        {.push = {.valid = takes_run,
                  .data = {.lane = Lanes::at(in.run.data.address), .count = in.run.data.count}},
         .pop_ready = starts});
    bursts_.clock(
        {.run = {.valid = takes_run, .data = in.run.data}, .burst_ready = in.request_ready});
  }

  void reset() {
    bursts_.reset();
    runs_.reset();
    beats_.reset();
    elements_.reset();
    running_ = UInt1(0);
    error_ = UInt1(0);
  }

 private:
  struct Run {
    Lane lane;  ///< of its first element
    UInt<32> count;
  };

  AxiBursts<kElementBytes, kBusBytes> bursts_;
  Fifo<Run, kRuns> runs_;
  Fifo<ReadBeat, kBeats> beats_;
  RegisterSlice<Element> elements_;
  UInt1 running_;
  Lane lane_;      ///< of the next element
  UInt<32> left_;  ///< elements of the run
  UInt1 error_;

  Element element_of(const typename Lanes::Elements& data) const {
    if constexpr (kLanes == 1) {
      return data[0];
    } else {
      return data[static_cast<int>(lane_.value())];
    }
  }
};

}  // namespace systole::hls
