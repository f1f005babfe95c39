#pragma once

#include "host/nn/training/callback.h"
#include "host/nn/training/checkpoint.h"

namespace systole::nn {

/// Restores what FitState::checkpoint saved: weights, optimizer, position in the epoch, history.
/// Callbacks load their own state.
///
/// Errors   CheckpointError for a run with another identity, naming the first thing that differs,
///          or with nothing left to do; nothing is changed then
void restore_training(const Checkpoint& checkpoint, FitState& state);

}  // namespace systole::nn
