#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "host/nn/training/checkpoint.h"
#include "host/nn/training/training.h"

namespace systole::nn {

class Trainable;

/// What an epoch's means are made of.
struct EpochSums {
  double loss = 0, accuracy = 0;  ///< each times its samples
  std::int64_t samples = 0;
};

/// What a running training shows its callbacks, and what they may ask of it.
struct FitState {
  Trainable& model;
  const FitOptions& options;
  History history = {};
  Progress progress = {};
  EpochSums sums = {};             ///< of this epoch so far
  bool epoch_is_finished = false;  ///< and history.epochs has it
  std::int64_t first_step = 0;     ///< steps of this epoch that were done before a resume

  /// Ends the training: at once from on_step_end, which leaves the epoch unfinished, and before the
  /// next epoch from elsewhere. The first reason is kept, in history.stopped.
  void stop(std::string reason);

  /// All that is needed to go on from here, the callbacks' own state included.
  Checkpoint checkpoint() const;

  /// Steps done in all epochs, those before a resume included.
  std::int64_t steps_done() const { return static_cast<std::int64_t>(history.losses.size()); }
};

/// Something that watches a training, and may change its learning rate or end it.
///
/// fit calls its callbacks in the order of FitOptions::callbacks. A training that is resumed within
/// an epoch enters that epoch by on_epoch_begin too, with progress.step > 0.
class Callback {
 public:
  virtual ~Callback() = default;

  virtual void on_train_begin(FitState&) {}
  virtual void on_epoch_begin(FitState&) {}
  virtual void on_step_end(FitState&) {}
  virtual void on_test_begin(FitState&) {}  ///< around the validation of an epoch
  virtual void on_test_end(FitState&) {}
  virtual void on_epoch_end(FitState&) {}  ///< history.epochs.back() is this epoch
  virtual void on_train_end(FitState&) {}  ///< not called when an exception ends the training

  /// What the callback itself needs in order to go on after a resume; on_train_begin follows load.
  virtual void save(Checkpoint&) const {}
  virtual void load(const Checkpoint&) {}
};

/// One of an epoch's four figures, by Keras' names; none if the epoch was not validated.
///
/// Errors   std::invalid_argument for a name that is not loss, accuracy, val_loss or val_accuracy
std::optional<double> figure(const History::Epoch& epoch, std::string_view name);

/// Whether `value` is better than `best` by more than min_delta: less of a loss, more accuracy.
bool is_better(std::string_view name, double value, double best, double min_delta = 0);

/// Refuses a figure that this training will never have.
///
/// Errors   std::invalid_argument naming who asks, for val_... without validation data
void need_figure(const char* who, std::string_view name, const FitState& state);

}  // namespace systole::nn
