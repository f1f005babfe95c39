#pragma once

#if defined(__SSE__)
#include <immintrin.h>
#endif

namespace systole::graph {

/// While it lives, this thread's fp32 arithmetic treats subnormals as zeros, like the device.
/// Without it a momentum that decays towards zero makes every later step tens of times slower.
///
/// Limits   x86 only; elsewhere it does nothing
class FlushSubnormals {
 public:
#if defined(__SSE__)
  FlushSubnormals() : saved_(_mm_getcsr()) { _mm_setcsr(saved_ | kFlushToZero | kZeroOperands); }
  ~FlushSubnormals() { _mm_setcsr(saved_); }
#else
  FlushSubnormals() {}
#endif
  FlushSubnormals(const FlushSubnormals&) = delete;
  FlushSubnormals& operator=(const FlushSubnormals&) = delete;

 private:
#if defined(__SSE__)
  static constexpr unsigned kFlushToZero = 0x8000;
  static constexpr unsigned kZeroOperands = 0x0040;
  unsigned saved_;
#endif
};

}  // namespace systole::graph
