#pragma once

#include "host/nn/training/callback.h"

namespace systole::tests {

/// Ends a training after this many steps of all epochs.
struct StopAfter : nn::Callback {
  std::int64_t steps;
  explicit StopAfter(std::int64_t count) : steps(count) {}
  void on_step_end(nn::FitState& state) override {
    if (state.steps_done() == steps) state.stop("enough");
  }
};

}  // namespace systole::tests
