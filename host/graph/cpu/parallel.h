#pragma once

#include <algorithm>
#include <cstdint>

#if defined(__SSE__)
#include <immintrin.h>
#endif

namespace systole::graph {

/// While it lives, this thread's floats below 2^-126 are 0: a value that decays towards zero would
/// otherwise make later work tens of times slower. Does nothing where there is no SSE.
class SubnormalsAreZero {
 public:
#if defined(__SSE__)
  SubnormalsAreZero() : saved_(_mm_getcsr()) { _mm_setcsr(saved_ | 0x8040); }
  ~SubnormalsAreZero() { _mm_setcsr(saved_); }
#else
  SubnormalsAreZero() {}
#endif
  SubnormalsAreZero(const SubnormalsAreZero&) = delete;
  SubnormalsAreZero& operator=(const SubnormalsAreZero&) = delete;

 private:
#if defined(__SSE__)
  unsigned saved_;
#endif
};

/// Calls work(i) for 0..count - 1, each once, on up to `threads` threads.
template <typename Work>
void for_each_part(int threads, std::int64_t count, const Work& work) {
  const int used = static_cast<int>(std::min<std::int64_t>(threads, count));
  if (used <= 1) {
    const SubnormalsAreZero flush;
    for (std::int64_t i = 0; i < count; ++i) work(i);
    return;
  }
#pragma omp parallel num_threads(used)
  {
    const SubnormalsAreZero flush;
#pragma omp for schedule(dynamic)
    for (std::int64_t i = 0; i < count; ++i) work(i);
  }
}

}  // namespace systole::graph
