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
  sigaction(SIGINT, &action, &interrupt_before_);
  sigaction(SIGTERM, &action, &terminate_before_);
  is_listening_ = true;
}

void StopOnSignal::restore() {
  if (!is_listening_) return;
  sigaction(SIGINT, &interrupt_before_, nullptr);
  sigaction(SIGTERM, &terminate_before_, nullptr);
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
