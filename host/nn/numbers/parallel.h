#pragma once

#include <algorithm>
#include <cstdint>

#include "host/cpu/flush_subnormals.h"

namespace systole::nn {

/// Calls work(begin, end) for consecutive parts of 0..count, one part per thread, and returns when
/// all are done.
///
/// Limits   the parts must not write to the same memory; then results do not depend on `threads`
/// Timing   a part has at least `grain` items, so that small work stays in the calling thread
/// Numbers  every thread flushes subnormals, as the calling one does
template <typename Work>
void parallel_for(int threads, std::int64_t count, std::int64_t grain, const Work& work) {
  const std::int64_t parts =
      std::clamp<std::int64_t>(count / std::max<std::int64_t>(1, grain), 1, threads);
  if (parts == 1) return work(std::int64_t{0}, count);
#pragma omp parallel for num_threads(static_cast<int>(parts)) schedule(static)
  for (std::int64_t part = 0; part < parts; ++part) {
    const graph::FlushSubnormals flush;
    work(count * part / parts, count * (part + 1) / parts);
  }
}

}  // namespace systole::nn
