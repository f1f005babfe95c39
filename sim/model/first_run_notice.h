#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <utility>

#include "sim/device/progress.h"

namespace systole {

/// Says why a program waits: its clocks are being simulated, for how long by now, and how far the
/// simulation is.
///
///     systole: simulating clocks for 4 s, once for each program: program 2, 31% of 81204 commands
///
/// Nothing is said before simulations have taken 2 s in all. Then a line after 2, 4, 8, ... s
/// follows; on a terminal it is one line, written again each second and erased when its simulation
/// ends.
///
/// Timing   thread-safe; simulations side by side count once
class ClocksNotice {
 public:
  static constexpr double kSilentSeconds = 2;
  using Seconds = std::function<double()>;

  ClocksNotice(std::FILE* out, bool is_terminal, Seconds now)
      : out_(out), is_terminal_(is_terminal), now_(std::move(now)) {}

  /// The simulation of one program, in the thread that made it.
  class Simulation {
   public:
    explicit Simulation(ClocksNotice& notice);
    ~Simulation();
    Simulation(const Simulation&) = delete;
    Simulation& operator=(const Simulation&) = delete;

   private:
    ClocksNotice& notice_;
    sim::ListensToProgress listens_;
  };

  /// The one of this process, on stderr.
  static ClocksNotice& of_process();

 private:
  void begin();
  void end();
  void tell(const sim::Progress& progress);
  double seconds() const { return spent_ + (running_ > 0 ? now_() - begun_ : 0); }

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
