#pragma once

#include <utility>

#include "systole/hls/int.h"

namespace systole::hls {

template <auto kFunction, int kStages, typename Signature = decltype(kFunction)>
class Pipeline;

/// A pure function with kStages register stages: a result leaves kStages clocks after its arguments
/// entered, one a clock.
///
/// Shapes   an argument, by value or const reference, and the result are an integer, a bool, an
///          enum, or a struct, Vec or array of those
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
  Result output() const {
    Result result;
    output_to(result);
    return result;
  }

  /// One rising edge: the arguments enter stage 0 and everything before them moves on.
  void clock(const Arguments&... arguments) {
    for (int stage = kStages - 1; stage > 0; --stage) stage_[stage] = stage_[stage - 1];
    evaluate(stage_[0], arguments...);
  }

  /// An edge at which stage k takes what was before it where bit k of `moves` is set, and stays
  /// otherwise. A lone pipeline only.
  void clock_where(const UInt<kStages>& moves, const Arguments&... arguments) {
    for (int stage = kStages - 1; stage > 0; --stage) {
      if (((moves.raw() >> stage) & 1) != 0) stage_[stage] = stage_[stage - 1];
    }
    if ((moves.raw() & 1) != 0) evaluate(stage_[0], arguments...);
  }

 private:
  // The two that `hlsc` replaces. Everything crosses them in memory, so that a struct, a bool or an
  // enum is seen by name, whatever the host's calling convention does with it.
  void output_to(Result& result) const { result = stage_[kStages - 1]; }
  static void evaluate(Result& result, const Arguments&... arguments) {
    static_assert(((sizeof(arguments) > 0) && ...), "an argument's type is complete");
    result = kFunction(arguments...);
  }

  Result stage_[kStages]{};
};

}  // namespace systole::hls
