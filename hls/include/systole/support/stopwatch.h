#pragma once

#include <chrono>

namespace systole {

/// Adds up the wall time of pieces of work, those that end with an exception left out.
class Stopwatch {
 public:
  template <typename Work>
  void time(const Work& work) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    work();
    seconds_ += std::chrono::duration<double>(Clock::now() - start).count();
  }
  double seconds() const { return seconds_; }

 private:
  double seconds_ = 0;
};

}  // namespace systole
