#pragma once

#include <type_traits>

#include "systole/hls/int.h"
#include "systole/hls/kernel_stream.h"
#include "systole/hls/vec.h"

namespace systole::hls {

#ifdef SYSTOLE_HLSC
extern "C" void hlsc_loop_option(int option, int value);
#endif

/// First in the body of a function over arrays that only calls others: they run side by side, and
/// hand each other local arrays, LocalStreams and values.
///
///     void filter(const Vec<Int<8>, 256>& in, Vec<UInt<16>, 64>& bins) {
///       dataflow();
///       LocalStream<Int<20>, 4> smooth;
///       fir(in, smooth);
///       count(smooth, bins);
///     }
///
/// A loop of a constant length around all calls is the same for its iterations: an array of its
/// body has two banks, and one is filled while the other is read.
///
/// Timing   natively one call after the other
/// Errors   `hlsc` refuses what is no such network, and a deadlock
#ifdef SYSTOLE_HLSC
void dataflow() asm("hls.kernel_dataflow");
#else
inline void dataflow() {}
#endif

/// In the body of a loop: start an iteration every kClocks clocks. `hlsc` refuses the kernel,
/// naming the memory or the dependence, if that is impossible. Without it a loop starts iterations
/// as often as it can.
template <int kClocks>
inline void pipeline() {
  static_assert(kClocks >= 1, "iterations start at most once a clock");
#ifdef SYSTOLE_HLSC
  hlsc_loop_option(0, kClocks);
#endif
}

/// In the body of a loop: one iteration after the other.
inline void sequential() {
#ifdef SYSTOLE_HLSC
  hlsc_loop_option(0, 0);
#endif
}

/// In the body of a loop: kCopies iterations at once; all of them for unroll<>(), if their number
/// is constant.
template <int kCopies = 0>
inline void unroll() {
  static_assert(kCopies == 0 || kCopies >= 2, "there are at least two copies, or all");
#ifdef SYSTOLE_HLSC
  hlsc_loop_option(1, kCopies);
#endif
}

template <auto kFunction, typename Signature = decltype(kFunction)>
struct Kernel;

/// A function over arrays as `hlsc` compiles it: arrays are memories outside of the module, scalars
/// are ports. Natively this is a call. `hlsc` refuses a function that returns something.
template <auto kFunction, typename Result, typename... Parameters>
struct Kernel<kFunction, Result (*)(Parameters...)> {
  static void run(std::remove_reference_t<Parameters>&... arguments) { kFunction(arguments...); }
};

}  // namespace systole::hls
