#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "sim/device/progress.h"

namespace systole {

/// Says why a program waits: something is done that is done once for each program, for how long by
/// now, and how far it is.
///
///     systole: simulating clocks for 4 s, once for each program: program 2, 31% of 81204 commands
///
/// Nothing is said before such work has taken 2 s in all. Then a line after 2, 4, 8, ... s follows;
/// on a terminal it is one line, written again each second and erased when its work ends.
///
/// Timing   thread-safe; work side by side counts once
class FirstRunNotice {
 public:
  static constexpr double kSilentSeconds = 2;
  using Seconds = std::function<double()>;

  /// `work` is what is done, as in "simulating clocks".
  FirstRunNotice(std::string work, std::FILE* out, bool is_terminal, Seconds now)
      : work_(std::move(work)), out_(out), is_terminal_(is_terminal), now_(std::move(now)) {}

  /// The work on one program, in the thread that made it; it tells its progress (sim::Progress).
  class Run {
   public:
    explicit Run(FirstRunNotice& notice);
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

   private:
    FirstRunNotice& notice_;
    sim::ListensToProgress listens_;
  };

  /// Those of this process, on stderr: of simulated clocks, and of programs whose commands are
  /// compared with their products.
  static FirstRunNotice& of_clocks();
  static FirstRunNotice& of_comparisons();

 private:
  void begin();
  void end();
  void tell(const sim::Progress& progress);
  double seconds() const { return spent_ + (running_ > 0 ? now_() - begun_ : 0); }

  std::string work_;
  std::FILE* out_;
  bool is_terminal_;
  Seconds now_;

  std::mutex mutex_;
  std::uint64_t programs_ = 0;
  int running_ = 0;
  double begun_ = 0;  // when the first that runs began
  double spent_ = 0;  // until then
  double next_ = kSilentSeconds;
  bool shown_ = false;  // a line that is to be erased
};

}  // namespace systole
