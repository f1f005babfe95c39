#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <istream>
#include <sstream>
#include <string>

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

/// Those of a process that runs, with its children's that have ended, from its /proc/PID/stat; 0
/// where it has ended since that file was opened, since reading it fails then.
inline double processor_seconds(std::istream& stat) {
  std::string text;
  std::getline(stat, text);
  // After the name in brackets come its state and ten numbers, then four times in ticks.
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  std::int64_t ticks = 0;
  for (std::int64_t one = 0, i = 0; i < 4 && fields >> one; ++i) ticks += one;
  return static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace systole::compiler
