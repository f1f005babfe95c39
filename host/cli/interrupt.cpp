#include "host/cli/interrupt.h"

#include <fmt/format.h>

namespace systole {
namespace {

volatile std::sig_atomic_t received_signal = 0;

extern "C" void note_signal(int signal) { received_signal = signal; }

}  // namespace

void StopOnSignal::on_train_begin(nn::FitState&) {
  if (is_listening_) return;
  received_signal = 0;
  struct sigaction action{};
  action.sa_handler = note_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;  // the second one kills
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], &action, &before_[i]);
    // nohup has it ignored, so that the run outlives its terminal.
    if (kSignals[i] == SIGHUP && before_[i].sa_handler == SIG_IGN) signal(SIGHUP, SIG_IGN);
  }
  is_listening_ = true;
}

void StopOnSignal::restore() {
  if (!is_listening_) return;
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], &before_[i], nullptr);
  }
  is_listening_ = false;
}

void StopOnSignal::on_step_end(nn::FitState& state) {
  if (received_signal != 0) state.stop("interrupted");
}

void StopOnSignal::on_train_end(nn::FitState& state) {
  restore();
  if (received_signal == 0 || state.history.stopped != "interrupted") return;
  throw Interrupted(received_signal,
                    fmt::format("interrupted after {} steps; continue with --resume {}",
                                state.steps_done(), checkpoint_));
}

}  // namespace systole
