#include "host/nn/callbacks/progress_bar.h"

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

void ProgressBar::on_epoch_begin(FitState& state) {
  const Progress& progress = state.progress;
  fmt::print(stream_, "Epoch {}/{}\n", progress.epoch, progress.epochs);
  last_seconds_ = progress.seconds;
  last_tenth_ = 10 * progress.step / progress.steps;
}

bool ProgressBar::is_due(const Progress& progress) const {
  const double waited = progress.seconds - last_seconds_;
  if (terminal_) return progress.step == 1 || waited >= kTerminalPeriodSeconds;
  return 10 * progress.step / progress.steps > last_tenth_ || waited >= kPipePeriodSeconds;
}

void ProgressBar::on_step_end(FitState& state) {
  const Progress& progress = state.progress;
  // The last line of an epoch waits for its validation.
  if (progress.step == progress.steps || !is_due(progress)) return;
  last_seconds_ = progress.seconds;
  last_tenth_ = 10 * progress.step / progress.steps;
  const auto steps_here = static_cast<double>(progress.step);
  const double left =
      progress.seconds / steps_here * static_cast<double>(progress.steps - progress.step);
  draw(progress, fmt::format("ETA: {}", duration(left)), "");
  line_is_open_ = terminal_;
}

void ProgressBar::on_epoch_end(FitState& state) {
  const Progress& progress = state.progress;
  const double seconds_per_step = progress.seconds / static_cast<double>(progress.steps);
  const auto& validation = state.history.epochs.back().validation;
  draw(progress, fmt::format("{} {}", duration(progress.seconds), per_step(seconds_per_step)),
       validation ? fmt::format(" - val_loss: {:.4f} - val_accuracy: {:.4f}", validation->loss,
                                validation->accuracy)
                  : "");
  if (terminal_) fmt::print(stream_, "\n");
  line_is_open_ = false;
}

void ProgressBar::on_train_end(FitState& state) {
  if (line_is_open_) fmt::print(stream_, "\n");
  line_is_open_ = false;
  if (!state.history.stopped.empty()) {
    fmt::print(stream_, "Stopped in epoch {}: {}\n", state.progress.epoch, state.history.stopped);
  }
  std::fflush(stream_);
}

void ProgressBar::draw(const Progress& progress, const std::string& time, const std::string& more) {
  constexpr const char* kClearLine = "\r\033[K";
  const std::string count = fmt::format("{}", progress.steps);
  fmt::print(stream_, "{}{:>{}}/{}{} - {} - loss: {:.4f} - accuracy: {:.4f}{}{}",
             terminal_ ? kClearLine : "", progress.step, count.size(), count,
             terminal_ ? fmt::format(" [{}]", bar(progress)) : "", time, progress.loss,
             progress.accuracy, more, terminal_ ? "" : "\n");
  std::fflush(stream_);
}

}  // namespace systole::nn
