#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace systole::compiler {

/// The exit code where the limit of time is over.
inline constexpr int kOutOfTime = 4;

/// While it lives, says on stderr what the compiler is doing, from two seconds on and whenever that
/// is something else two seconds later:
///
///   hlsc: unroll, Aes::clock
///
/// Only where stderr is a terminal, since the lines depend on the machine's speed. After `limit`
/// seconds of processor time, of all threads and of the programs that run for it, it ends the
/// process with kOutOfTime, whatever loop or pass that is in, and says what took so long; and also
/// where nothing has used the processor for so long:
///
///   hlsc: error: aes.h:12: the time limit of 600 s is over: unroll has worked on Aes::clock for
///   587 s; write less logic in one function, or raise --time-limit
///
/// It leaves no program running and no temporary folder. Nothing has been written yet, or all is:
/// call finish() before files are written.
class Progress {
 public:
  /// 0 for no limit.
  explicit Progress(std::chrono::seconds limit);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// There is no limit from here on, and no more lines.
  void finish();

 private:
  void run();

  std::chrono::seconds limit_;
  std::mutex mutex_;
  std::condition_variable end_;
  bool ended_ = false;
  std::thread thread_;
};

/// Sets the phase, the function, module or file that it works on, and that one's place in the
/// source if it has one. Thread-safe.
void enter_phase(const std::string& phase, const std::string& what, const std::string& place = "");

}  // namespace systole::compiler
