#include "hls/compiler/support/progress.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <vector>

#include "hls/compiler/support/processor_time.h"
#include "hls/compiler/support/tools.h"

namespace systole::compiler {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{2};
constexpr std::chrono::milliseconds kLook{100};  ///< between two looks at the time used
constexpr double kLeastUse = 0.01;               ///< of a processor; what uses less is stuck

/// The processor's seconds of this process, and of its children that have ended.
double own_seconds() { return processor_seconds(RUSAGE_SELF) + processor_seconds(RUSAGE_CHILDREN); }

struct Phase {
  std::mutex mutex;
  std::string name = "start";
  std::string what;
  std::string place;
  double since = 0;  ///< of own_seconds()

  std::string text() const { return fmt::format("{}, {}", name, what); }
};

Phase& current_phase() {
  static Phase phase;
  return phase;
}

/// clang, perhaps.
std::vector<pid_t> running_children() {
  std::vector<pid_t> running;
  std::error_code ignored;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    std::ifstream children(task.path() / "children");
    for (pid_t child = 0; children >> child;) running.push_back(child);
  }
  return running;
}

/// The same with the children that run, and their own that have ended.
double used_seconds() {
  double sum = own_seconds();
  for (const pid_t child : running_children()) {
    std::ifstream stat(fmt::format("/proc/{}/stat", child));
    sum += processor_seconds(stat);
  }
  return sum;
}

[[noreturn]] void end_process(std::chrono::seconds limit, double used, bool is_stuck) {
  // Kept for good: nothing enters another phase while this one is being named.
  current_phase().mutex.lock();
  const Phase& phase = current_phase();
  const std::string what =
      is_stuck ? fmt::format("{} has used no processor time on {}; end what it waits for",
                             phase.name, phase.what)
               : fmt::format("{} has worked on {} for {:.0f} s; write less logic in one function",
                             phase.name, phase.what, used - phase.since);
  fmt::print(stderr, "hlsc: error: {}{}the time limit of {} s is over: {}, or raise --time-limit\n",
             phase.place, phase.place.empty() ? "" : ": ", limit.count(), what);
  std::fflush(stderr);
  for (const pid_t child : running_children()) kill(child, SIGKILL);
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
  current.since = own_seconds();
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
  const bool has_limit = limit_.count() > 0;
  const auto limit = static_cast<double>(limit_.count());
  Clock::time_point shows_at = Clock::now() + kPatience;
  Clock::time_point moved_at = Clock::now();
  double moved = 0;
  std::string shown;
  std::unique_lock lock(mutex_);
  for (;;) {
    const Clock::time_point next = has_limit ? Clock::now() + kLook : shows_at;
    if (end_.wait_until(lock, next, [this] { return ended_; })) return;
    const Clock::time_point now = Clock::now();
    if (has_limit) {
      const double used = used_seconds();
      if (used > moved + kLeastUse * limit) moved = used, moved_at = now;
      const bool is_stuck = now >= moved_at + limit_;
      if (used >= limit || is_stuck) end_process(limit_, used, is_stuck);
    }
    if (!shows || now < shows_at) continue;
    shows_at = now + kPatience;
    const std::lock_guard phase(current_phase().mutex);
    if (current_phase().text() == shown) continue;
    shown = current_phase().text();
    fmt::print(stderr, "hlsc: {}\n", shown);
  }
}

}  // namespace systole::compiler
