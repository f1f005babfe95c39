#pragma once

#include "hls/kernels/vector/unit.h"

namespace systole::kernels {

/// Empties the unit after a stop: a run goes on to its end on zeros; then every input queue is
/// filled, and a program of four instructions takes what all of them hold.
///
/// Timing   the rest of the run, and some 60 clocks
/// Limits   while active, `feeds` offers zeros to every input, outputs are taken and
///          dropped, and the unit gets no other commands. Instructions 0 to 3 are overwritten
struct VectorUnitDrain {
  struct Inputs {
    UInt1 stop;         ///< its first clock starts the drain
    UInt1 unit_busy;    ///< a run is under way
    UInt1 inputs_full;  ///< no input of the unit is ready
  };
  struct Outputs {
    UInt1 active;                 ///< the unit is being emptied
    UInt1 feeds;                  ///< zeros are offered to every input
    Beat<VectorCommand> command;  ///< to the unit
  };

  Outputs outputs() const {
    const UInt1 runs = as_bit(step_ == kRun);
    const auto stream = truncate<UInt<2>>(step_ - Step(kLoad));
    // a = or of the stream, zero and zero; writes nothing, sends nothing
    const UInt<64> code = concat(
        UInt<28>(0), concat(stream, UInt<8>(0)),
        concat(UInt<6>(kSourceZero), UInt<6>(kSourceZero),
               concat(UInt<6>(kSourceStream), UInt<3>(0), UInt<5>(int(VectorOperation::kOr)))));
    const UInt<64> words = concat(UInt32(1), UInt32(kQueueWords));
    return {
        .active = active_,
        .feeds = active_ & as_bit(step_ == kFill),
        .command = {.valid = as_bit(step_ >= Step(kLoad) && step_ <= Step(kRun)),
                    .data = {.kind = runs ? UInt<2>(kVectorRun) : UInt<2>(kVectorLoadInstruction),
                             .place = runs ? UInt<6>(0) : UInt<6>(stream),
                             .last = UInt<6>(3),
                             .first_word = UInt32(0),
                             .data = runs ? words : code}}};
  }

  void clock(const Inputs& in) {
    const UInt1 starts = in.stop & ~stopped_;
    const bool waits =
        (step_ == kFill && (in.unit_busy || !in.inputs_full)) || (step_ == kEnd && in.unit_busy);
    if (step_ == kNone) {
      if (starts) step_ = Step(kFill);
    } else if (!waits) {
      step_ = truncate<Step>(step_ + UInt1(1));
    }
    active_ = as_bit(step_ != kNone);
    stopped_ = in.stop;
  }

  void reset() {
    step_ = Step(kNone);
    active_ = UInt1(0);
    stopped_ = UInt1(0);
  }

 private:
  using Step = UInt<3>;
  static constexpr int kQueueWords = 2;  ///< of an input
  static constexpr int kNone = 0;
  static constexpr int kFill = 1;
  static constexpr int kLoad = 2;  ///< to 5
  static constexpr int kRun = 6;
  static constexpr int kEnd = 7;

  Step step_;
  UInt1 active_;  ///< a step is under way
  UInt1 stopped_;
};

}  // namespace systole::kernels
