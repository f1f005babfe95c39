#include "hls/compiler/support/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace systole::compiler {
namespace {

constexpr std::chrono::seconds kPatience{2};

struct Phase {
  std::mutex mutex;
  std::string text;
};

Phase& current_phase() {
  static Phase phase;
  return phase;
}

}  // namespace

void enter_phase(const std::string& phase, const std::string& what) {
  const std::lock_guard lock(current_phase().mutex);
  current_phase().text = fmt::format("{}, {}", phase, what);
}

ProgressLines::ProgressLines() {
  if (isatty(STDERR_FILENO) == 1) thread_ = std::thread([this] { run(); });
}

ProgressLines::~ProgressLines() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  end_.notify_all();
  thread_.join();
}

void ProgressLines::run() {
  std::string shown;
  std::unique_lock lock(mutex_);
  while (!end_.wait_for(lock, kPatience, [this] { return ended_; })) {
    const std::lock_guard phase(current_phase().mutex);
    if (current_phase().text == shown) continue;
    shown = current_phase().text;
    fmt::print(stderr, "hlsc: {}\n", shown);
  }
}

}  // namespace systole::compiler
