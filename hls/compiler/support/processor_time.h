#pragma once

#include <sys/resource.h>

#include <initializer_list>

namespace systole::compiler {

/// The processor's seconds, by user and system, of RUSAGE_SELF or of RUSAGE_CHILDREN that have
/// ended.
inline double processor_seconds(int who) {
  rusage usage{};
  getrusage(who, &usage);
  double sum = 0;
  for (const timeval& time : {usage.ru_utime, usage.ru_stime}) {
    sum += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }
  return sum;
}

}  // namespace systole::compiler
