#pragma once

#include <utility>

#include "systole/hls/int.h"

namespace systole::hls {

template <auto kFunction, int kStages, typename Signature = decltype(kFunction)>
class Pipeline;

/// A pure function with kStages register stages: a result leaves kStages clocks after its arguments
/// enter, one a clock.
///
/// Shapes   an argument, by value or const reference, and the result are an integer, a bool, an
///          enum, or a struct, Vec or array of those
/// Timing   latency kStages, II = 1; the output is unspecified in the first kStages clocks. clock()
///          never stalls, clock_where() moves some of the stages; a pipeline uses one of the two.
///          call() is for plain code: in a function over arrays `hlsc` puts the call in time, and
///          calls that never start in the same clock share one pipeline.
/// Numbers  exactly kFunction. Natively this is the function and a delay line; `hlsc` cuts the
///          function itself into kStages balanced stages. After the first kStages clocks, both
///          agree at the ports in every clock.
template <auto kFunction, int kStages, typename Result, typename... Arguments>
class Pipeline<kFunction, kStages, Result (*)(Arguments...)> {
  static_assert(kStages >= 1, "a pipeline has at least one stage");

 public:
  static constexpr int kLatency = kStages;

  /// kFunction of the arguments. A function over arrays has the result kStages clocks later; in a
  /// module, a thread or another pure function this is kFunction in place.
  static Result call(const Arguments&... arguments) {
    Result result;
    call_to(result, arguments...);
    return result;
  }

  /// The last stage's register: the result for the arguments of kStages clocks ago.
  Result output() const {
    Result result;
    output_to(result);
    return result;
  }

  /// One rising edge: the arguments enter stage 0 and all earlier ones move on.
  void clock(const Arguments&... arguments) {
    for (int stage = kStages - 1; stage > 0; --stage) stage_[stage] = stage_[stage - 1];
    evaluate(stage_[0], arguments...);
  }

  /// A rising edge at which stage k takes the previous stage's value if bit k of `moves` is set,
  /// and holds otherwise. Only for a single pipeline, not for an array of them.
  void clock_where(const UInt<kStages>& moves, const Arguments&... arguments) {
    for (int stage = kStages - 1; stage > 0; --stage) {
      if (((moves.raw() >> stage) & 1) != 0) stage_[stage] = stage_[stage - 1];
    }
    if ((moves.raw() & 1) != 0) evaluate(stage_[0], arguments...);
  }

 private:
  // The functions that `hlsc` replaces. They pass everything in memory, so that `hlsc` sees a
  // struct, a bool or an enum by name, whatever the host's calling convention.
  void output_to(Result& result) const { result = stage_[kStages - 1]; }
  static void call_to(Result& result, const Arguments&... arguments) {
    evaluate(result, arguments...);
  }
  static void evaluate(Result& result, const Arguments&... arguments) {
    static_assert(((sizeof(arguments) > 0) && ...), "an argument's type is complete");
    result = kFunction(arguments...);
  }

  Result stage_[kStages]{};
};

}  // namespace systole::hls
