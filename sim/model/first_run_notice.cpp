#include "sim/model/first_run_notice.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace systole {
namespace {

double seconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

FirstRunNotice on_stderr(std::string work) {
  return {std::move(work), stderr, ::isatty(STDERR_FILENO) == 1, seconds_now};
}

}  // namespace

FirstRunNotice::Run::Run(FirstRunNotice& notice)
    : notice_(notice), listens_([this](const sim::Progress& progress) { notice_.tell(progress); }) {
  notice_.begin();
}

FirstRunNotice::Run::~Run() { notice_.end(); }

void FirstRunNotice::begin() {
  const std::lock_guard lock(mutex_);
  if (running_++ == 0) begun_ = now_();
  ++programs_;
}

void FirstRunNotice::end() {
  const std::lock_guard lock(mutex_);
  const double spent = seconds();
  if (--running_ > 0) return;
  spent_ = spent;
  if (!shown_) return;
  std::fputs("\r\x1b[K", out_);
  std::fflush(out_);
  shown_ = false;
}

void FirstRunNotice::tell(const sim::Progress& progress) {
  const std::lock_guard lock(mutex_);
  const double spent = seconds();
  if (spent < next_) return;
  next_ = is_terminal_ ? spent + 1 : 2 * spent;
  const std::uint64_t percent =
      std::uint64_t{100} * progress.done / std::max<std::uint64_t>(1, progress.commands);
  const std::string line =
      fmt::format("systole: {} for {:.0f} s, once for each program: program {}, {}% of {} commands",
                  work_, spent, programs_, percent, progress.commands);
  const std::string text = is_terminal_ ? "\r" + line + "\x1b[K" : line + "\n";
  std::fputs(text.c_str(), out_);
  std::fflush(out_);
  shown_ = is_terminal_;
}

FirstRunNotice& FirstRunNotice::of_clocks() {
  static FirstRunNotice notice = on_stderr("simulating clocks");
  return notice;
}

FirstRunNotice& FirstRunNotice::of_comparisons() {
  static FirstRunNotice notice = on_stderr("checking results command by command");
  return notice;
}

}  // namespace systole
