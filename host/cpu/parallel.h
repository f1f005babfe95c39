#pragma once

#include <algorithm>
#include <cstdint>

#include "host/cpu/flush_subnormals.h"

namespace systole::graph {

/// Calls work(i) for 0..count - 1, each once, on up to `threads` threads.
template <typename Work>
void for_each_part(int threads, std::int64_t count, const Work& work) {
  const int used = static_cast<int>(std::min<std::int64_t>(threads, count));
  if (used <= 1) {
    const FlushSubnormals flush;
    for (std::int64_t i = 0; i < count; ++i) work(i);
    return;
  }
#pragma omp parallel num_threads(used)
  {
    const FlushSubnormals flush;
#pragma omp for schedule(dynamic)
    for (std::int64_t i = 0; i < count; ++i) work(i);
  }
}

}  // namespace systole::graph
