#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace systole::compiler {

/// While it lives, says on stderr what the compiler is doing, from two seconds on and whenever that
/// is something else two seconds later:
///
///   hlsc: unroll, Aes::clock
///
/// Only where stderr is a terminal, since the lines depend on the machine's speed.
class ProgressLines {
 public:
  ProgressLines();
  ~ProgressLines();
  ProgressLines(const ProgressLines&) = delete;
  ProgressLines& operator=(const ProgressLines&) = delete;

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable end_;
  bool ended_ = false;
  std::thread thread_;
};

/// Sets the phase, and the function, module or file that it works on. Thread-safe.
void enter_phase(const std::string& phase, const std::string& what);

}  // namespace systole::compiler
