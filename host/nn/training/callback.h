#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "host/nn/training/checkpoint.h"
#include "host/nn/training/training.h"

namespace systole::nn {

class Trainable;

/// The sums behind an epoch's means.
struct EpochSums {
  double loss = 0, accuracy = 0;  ///< each weighted by its samples
  std::int64_t samples = 0;
};

/// A running training as its callbacks see and control it.
struct FitState {
  Trainable& model;
  const FitOptions& options;
  History history = {};
  Progress progress = {};
  EpochSums sums = {};             ///< of this epoch so far
  bool epoch_is_finished = false;  ///< and is in history.epochs
  std::int64_t first_step = 0;     ///< steps of this epoch before a resume

  /// Ends the training: from on_step_end at once, leaving the epoch unfinished; from elsewhere
  /// before the next epoch. history.stopped keeps the first reason.
  void stop(std::string reason);

  /// Everything needed to continue from here, including the callbacks' own state.
  Checkpoint checkpoint() const;

  /// Steps done in all epochs, those before a resume included.
  std::int64_t steps_done() const { return static_cast<std::int64_t>(history.losses.size()); }
};

/// Watches a training, and may change its learning rate or end it.
///
/// fit calls its callbacks in the order of FitOptions::callbacks. A training resumed within an
/// epoch also enters it through on_epoch_begin, with progress.step > 0.
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

  /// The callback's own state across a resume; on_train_begin follows load.
  virtual void save(Checkpoint&) const {}
  virtual void load(const Checkpoint&) {}
};

/// One of an epoch's four figures, by Keras' name; none without validation.
///
/// Errors   std::invalid_argument for a name that is not loss, accuracy, val_loss or val_accuracy
std::optional<double> figure(const History::Epoch& epoch, std::string_view name);

/// Whether `value` is better than `best` by more than min_delta: a lower loss, a higher accuracy.
bool is_better(std::string_view name, double value, double best, double min_delta = 0);

/// Refuses a figure that this training does not compute.
///
/// Errors   std::invalid_argument naming the callback, for val_... without validation data
void need_figure(const char* who, std::string_view name, const FitState& state);

}  // namespace systole::nn
