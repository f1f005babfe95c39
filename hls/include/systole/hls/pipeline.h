#pragma once

#include <utility>

#include "systole/hls/int.h"

namespace systole::hls {

template <auto kFunction, int kStages, typename Signature = decltype(kFunction)>
class Pipeline;

/// A pure function with kStages register stages: a result leaves kStages clocks after its arguments
/// entered, one a clock.
///
/// Timing   latency kStages, II = 1; before kStages clocks the output is unspecified. clock() never
///          stalls, clock_where() moves some of the stages; a pipeline uses one of the two.
/// Numbers  exactly kFunction. Natively this is the function and a delay line; `hlsc` cuts the
///          function itself into kStages balanced stages. At the ports both agree on every clock
///          once kStages clocks have passed.
template <auto kFunction, int kStages, typename Result, typename... Arguments>
class Pipeline<kFunction, kStages, Result (*)(Arguments...)> {
  static_assert(kStages >= 1, "a pipeline has at least one stage");

 public:
  static constexpr int kLatency = kStages;

  /// What the last stage's register holds: the result of the arguments of kStages clocks ago.
  Result output() const { return stage_[kStages - 1]; }

  /// One rising edge: the arguments enter stage 0 and everything before them moves on.
  void clock(const Arguments&... arguments) {
    for (int stage = kStages - 1; stage > 0; --stage) stage_[stage] = stage_[stage - 1];
    stage_[0] = kFunction(arguments...);
  }

  /// An edge at which stage k takes what was before it where bit k of `moves` is set, and stays
  /// otherwise. A lone pipeline only.
  void clock_where(const UInt<kStages>& moves, const Arguments&... arguments) {
    for (int stage = kStages - 1; stage > 0; --stage) {
      if (((moves.raw() >> stage) & 1) != 0) stage_[stage] = stage_[stage - 1];
    }
    if ((moves.raw() & 1) != 0) stage_[0] = kFunction(arguments...);
  }

 private:
  Result stage_[kStages];
};

}  // namespace systole::hls
