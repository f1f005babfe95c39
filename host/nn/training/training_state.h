#pragma once

#include "host/nn/callbacks/callback.h"
#include "host/nn/training/checkpoint.h"

namespace systole::nn {

/// Puts a training back to where FitState::checkpoint found it: weights, optimizer, position in the
/// epoch, history. The callbacks' own state is theirs to load.
///
/// Errors   CheckpointError for a run with another identity, naming the first thing that differs,
///          or with nothing left to do; nothing is changed then
void restore_training(const Checkpoint& checkpoint, FitState& state);

}  // namespace systole::nn
