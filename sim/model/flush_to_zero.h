#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace systole {

/// Makes this thread's vector unit treat subnormals as docs/numerics.md does for the life of the
/// object: flushed to signed zeros on input (DAZ) and output (FTZ), round to nearest even, no
/// traps.
///
/// Timing   affects the calling thread; the destructor restores its previous mode
class FlushToZero {
 public:
#if defined(__x86_64__)
  FlushToZero() : saved_(_mm_getcsr()) { _mm_setcsr(kMaskAll | kFlushToZero | kDenormalsAreZero); }
  ~FlushToZero() { _mm_setcsr(saved_); }
#else
  FlushToZero() = default;
#endif
  FlushToZero(const FlushToZero&) = delete;
  FlushToZero& operator=(const FlushToZero&) = delete;

#if defined(__x86_64__)
 private:
  static constexpr unsigned kMaskAll = 0x1f80;
  static constexpr unsigned kFlushToZero = 0x8000;
  static constexpr unsigned kDenormalsAreZero = 0x0040;
  unsigned saved_;
#endif
};

}  // namespace systole
