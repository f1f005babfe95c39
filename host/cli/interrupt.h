#pragma once

#include <csignal>
#include <iterator>
#include <stdexcept>
#include <string>

#include "host/nn/training/callback.h"

namespace systole {

/// A signal has ended the command: one line on standard error, exit code 128 + signal.
class Interrupted : public std::runtime_error {
 public:
  Interrupted(int signal, const std::string& what) : std::runtime_error(what), signal_(signal) {}
  int signal() const { return signal_; }

 private:
  int signal_;
};

/// Lets Ctrl-C (SIGINT), SIGTERM and a closed terminal (SIGHUP) end a training after the current
/// step, so that a checkpoint can be written; put it after the ModelCheckpoint. A second signal
/// ends the program at once.
///
/// Limits   one at a time, since signals belong to the whole program; a SIGHUP that nohup has
///          ignored stays ignored
/// Errors   Interrupted from on_train_end, saying how to continue
class StopOnSignal : public nn::Callback {
 public:
  explicit StopOnSignal(std::string checkpoint) : checkpoint_(std::move(checkpoint)) {}
  ~StopOnSignal() override { restore(); }
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  void on_train_begin(nn::FitState& state) override;
  void on_step_end(nn::FitState& state) override;
  void on_epoch_end(nn::FitState& state) override { on_step_end(state); }
  void on_train_end(nn::FitState& state) override;

 private:
  void restore();

  std::string checkpoint_;
  bool is_listening_ = false;
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[std::size(kSignals)]{};
};

}  // namespace systole
