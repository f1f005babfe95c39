#include "hls/compiler/support/progress.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "hls/compiler/support/tools.h"

namespace systole::compiler {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{2};

struct Phase {
  std::mutex mutex;
  std::string name = "start";
  std::string what;
  std::string place;
  Clock::time_point since = Clock::now();

  std::string text() const { return fmt::format("{}, {}", name, what); }
};

Phase& current_phase() {
  static Phase phase;
  return phase;
}

/// clang, perhaps.
void end_children() {
  std::error_code ignored;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    std::ifstream children(task.path() / "children");
    for (pid_t child = 0; children >> child;) kill(child, SIGKILL);
  }
}

[[noreturn]] void end_process(std::chrono::seconds limit) {
  // Kept for good: nothing enters another phase while this one is being named.
  current_phase().mutex.lock();
  const Phase& phase = current_phase();
  const auto spent = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - phase.since);
  fmt::print(stderr,
             "hlsc: error: {}{}the time limit of {} s is over: {} has worked on {} for {} s; write "
             "less logic in one function, or raise --time-limit\n",
             phase.place, phase.place.empty() ? "" : ": ", limit.count(), phase.name, phase.what,
             spent.count());
  std::fflush(stderr);
  end_children();
  ScratchFolder::remove_all();
  _exit(kOutOfTime);
}

}  // namespace

void enter_phase(const std::string& phase, const std::string& what, const std::string& place) {
  Phase& current = current_phase();
  const std::lock_guard lock(current.mutex);
  current.name = phase;
  current.what = what;
  current.place = place;
  current.since = Clock::now();
}

Progress::Progress(std::chrono::seconds limit) : limit_(limit) {
  if (limit.count() > 0 || isatty(STDERR_FILENO) == 1) thread_ = std::thread([this] { run(); });
}

void Progress::finish() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  end_.notify_all();
  thread_.join();
}

void Progress::run() {
  const bool shows = isatty(STDERR_FILENO) == 1;
  const Clock::time_point start = Clock::now();
  std::string shown;
  std::unique_lock lock(mutex_);
  for (;;) {
    Clock::time_point next = shows ? Clock::now() + kPatience : start + limit_;
    if (limit_.count() > 0) next = std::min(next, start + limit_);
    if (end_.wait_until(lock, next, [this] { return ended_; })) return;
    if (limit_.count() > 0 && Clock::now() >= start + limit_) end_process(limit_);
    const std::lock_guard phase(current_phase().mutex);
    if (current_phase().text() == shown) continue;
    shown = current_phase().text();
    fmt::print(stderr, "hlsc: {}\n", shown);
  }
}

}  // namespace systole::compiler
