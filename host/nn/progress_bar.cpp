#include "host/nn/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <string>

namespace systole::nn {
namespace {

constexpr int kBarWidth = 30;
constexpr double kTerminalPeriodSeconds = 0.1;
constexpr double kPipePeriodSeconds = 30;

std::string bar(const Progress& progress) {
  const auto filled = static_cast<std::size_t>(kBarWidth * progress.step / progress.steps);
  std::string text(filled, '=');
  if (filled < kBarWidth) text += '>';
  text.resize(kBarWidth, '.');
  return text;
}

std::string duration(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f}s", seconds);
  const auto whole = static_cast<std::int64_t>(seconds);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string per_step(double seconds) {
  if (seconds >= 1) return fmt::format("{:.1f}s/step", seconds);
  if (seconds >= 0.001) return fmt::format("{:.0f}ms/step", seconds * 1e3);
  return fmt::format("{:.0f}us/step", seconds * 1e6);
}

}  // namespace

ProgressBar::ProgressBar(std::FILE* stream)
    : stream_(stream), terminal_(isatty(fileno(stream)) != 0) {}

ProgressBar::~ProgressBar() {
  if (line_is_open_) fmt::print(stream_, "\n");
}

bool ProgressBar::is_due(const Progress& progress) const {
  if (progress.step == progress.steps) return true;
  const double waited = progress.seconds - last_seconds_;
  if (terminal_) return progress.step == 1 || waited >= kTerminalPeriodSeconds;
  return 10 * progress.step / progress.steps > last_tenth_ || waited >= kPipePeriodSeconds;
}

void ProgressBar::operator()(const Progress& progress) {
  if (progress.step == 1) {
    fmt::print(stream_, "Epoch {}/{}\n", progress.epoch, progress.epochs);
    last_seconds_ = 0;
    last_tenth_ = 0;
  }
  if (!is_due(progress)) return;
  last_seconds_ = progress.seconds;
  last_tenth_ = 10 * progress.step / progress.steps;

  const bool done = progress.step == progress.steps;
  const double seconds_per_step = progress.seconds / static_cast<double>(progress.step);
  const double left = seconds_per_step * static_cast<double>(progress.steps - progress.step);
  const std::string count = fmt::format("{}", progress.steps);
  const std::string position = fmt::format("{:>{}}/{}", progress.step, count.size(), count);
  const std::string time =
      done ? fmt::format("{} {}", duration(progress.seconds), per_step(seconds_per_step))
           : fmt::format("ETA: {}", duration(left));
  const std::string scores =
      fmt::format("loss: {:.4f} - accuracy: {:.4f}", progress.loss, progress.accuracy);
  if (terminal_) {
    constexpr const char* kClearLine = "\r\033[K";
    fmt::print(stream_, "{}{} [{}] - {} - {}{}", kClearLine, position, bar(progress), time, scores,
               done ? "\n" : "");
    line_is_open_ = !done;
  } else {
    fmt::print(stream_, "{} - {} - {}\n", position, time, scores);
  }
  std::fflush(stream_);
}

}  // namespace systole::nn
