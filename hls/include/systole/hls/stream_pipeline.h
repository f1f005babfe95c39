#pragma once

#include <type_traits>

#include "systole/hls/int.h"
#include "systole/hls/pipeline.h"
#include "systole/hls/stream.h"

namespace systole::hls {

template <auto kFunction, int kStages, typename Signature = decltype(kFunction)>
class StreamPipeline;

/// A pure function of one argument between two streams: its pipeline's stages stall one by one.
///
/// Limits   up to 64 stages
/// Timing   latency kStages, one element a clock. A stage moves when the next one is empty or
///          moves, so bubbles close up while the output stalls; in_ready depends on out_ready in
///          the same clock (a RegisterSlice or a Channel cuts that path).
/// Numbers  exactly kFunction; nothing is lost, repeated or reordered
template <auto kFunction, int kStages, typename Result, typename Argument>
class StreamPipeline<kFunction, kStages, Result (*)(Argument)> {
  static_assert(kStages <= 64, "a stalling pipeline has at most 64 stages");

 public:
  struct Inputs {
    Beat<std::remove_cvref_t<Argument>> in;
    UInt1 out_ready;
  };
  struct Outputs {
    UInt1 in_ready;
    Beat<Result> out;
  };

  Outputs clock(const Inputs& in) {
    UInt<kStages> moves;
    bool ready = static_cast<bool>(in.out_ready);
    for (int stage = kStages - 1; stage >= 0; --stage) {
      ready = ready || !valid_[stage];
      moves = moves | UInt<kStages>::from((ready ? std::uint64_t{1} : std::uint64_t{0}) << stage);
    }
    const Outputs out{.in_ready = as_bit(ready),
                      .out = {.valid = valid_[kStages - 1], .data = pipeline_.output()}};
    for (int stage = kStages - 1; stage > 0; --stage) {
      if (((moves.raw() >> stage) & 1) != 0) valid_[stage] = valid_[stage - 1];
    }
    if (ready) valid_[0] = in.in.valid;
    pipeline_.clock_where(moves, in.in.data);
    return out;
  }

  void reset() {
    for (int stage = 0; stage < kStages; ++stage) valid_[stage] = UInt1(0);
  }

 private:
  UInt1 valid_[kStages];
  Pipeline<kFunction, kStages> pipeline_;
};

}  // namespace systole::hls
