#pragma once

#include <functional>

#include "host/nn/training/callback.h"
#include "host/nn/training/training_loop.h"

namespace systole::nn {

/// Sets the learning rate at the beginning of each epoch: rate = schedule(epoch, current rate),
/// with epochs from 1.
///
/// Errors   std::invalid_argument for a rate that is not finite and > 0
class LearningRateScheduler : public Callback {
 public:
  using Schedule = std::function<float(std::int64_t epoch, float rate)>;

  explicit LearningRateScheduler(Schedule schedule) : schedule_(std::move(schedule)) {}

  void on_epoch_begin(FitState& state) override {
    // A resumed epoch already has its rate from the checkpoint.
    if (state.progress.step > 0) return;
    state.model.set_learning_rate(schedule_(state.progress.epoch, state.model.learning_rate()));
  }

 private:
  Schedule schedule_;
};

}  // namespace systole::nn
