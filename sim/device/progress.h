#pragma once

#include <cstdint>
#include <functional>

namespace systole::sim {

/// How far a simulated program is: commands that its engines have, of all.
struct Progress {
  std::uint32_t done = 0;
  std::uint32_t commands = 0;
};
using ProgressListener = std::function<void(const Progress&)>;

/// For the life of the object, tells `listener` of the simulations and interpreted programs of this
/// thread.
///
/// Timing   in that thread: a simulation tells every HarnessOptions::patience clocks, the
///          interpreter after each command
class ListensToProgress {
 public:
  explicit ListensToProgress(ProgressListener listener);
  ~ListensToProgress();
  ListensToProgress(const ListensToProgress&) = delete;
  ListensToProgress& operator=(const ListensToProgress&) = delete;

 private:
  ProgressListener listener_;
  const ProgressListener* before_;
};

/// For a simulation: calls this thread's listener, if there is one.
void tell_progress(const Progress& progress);

}  // namespace systole::sim
