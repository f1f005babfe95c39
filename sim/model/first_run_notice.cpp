#include "sim/model/clocks_notice.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace systole {
namespace {

double seconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

}  // namespace

ClocksNotice::Simulation::Simulation(ClocksNotice& notice)
    : notice_(notice), listens_([this](const sim::Progress& progress) { notice_.tell(progress); }) {
  notice_.begin();
}

ClocksNotice::Simulation::~Simulation() { notice_.end(); }

void ClocksNotice::begin() {
  const std::lock_guard lock(mutex_);
  if (running_++ == 0) begun_ = now_();
  ++programs_;
}

void ClocksNotice::end() {
  const std::lock_guard lock(mutex_);
  const double spent = seconds();
  if (--running_ > 0) return;
  spent_ = spent;
  if (!shown_) return;
  std::fputs("\r\x1b[K", out_);
  std::fflush(out_);
  shown_ = false;
}

void ClocksNotice::tell(const sim::Progress& progress) {
  const std::lock_guard lock(mutex_);
  const double spent = seconds();
  if (spent < next_) return;
  next_ = is_terminal_ ? spent + 1 : 2 * spent;
  const std::uint64_t percent =
      std::uint64_t{100} * progress.done / std::max<std::uint64_t>(1, progress.commands);
  const std::string line = fmt::format(
      "systole: simulating clocks for {:.0f} s, once for each program: program {}, {}% of {} "
      "commands",
      spent, programs_, percent, progress.commands);
  const std::string text = is_terminal_ ? "\r" + line + "\x1b[K" : line + "\n";
  std::fputs(text.c_str(), out_);
  std::fflush(out_);
  shown_ = is_terminal_;
}

ClocksNotice& ClocksNotice::of_process() {
  static ClocksNotice notice(stderr, ::isatty(STDERR_FILENO) == 1, seconds_now);
  return notice;
}

}  // namespace systole
