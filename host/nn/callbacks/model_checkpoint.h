#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "host/nn/training/callback.h"

namespace systole::nn {

/// Saves the whole state of a training, to resume it or to use its weights.
///
/// Saves after each epoch, after every `every_steps` steps (counted over all epochs), and when a
/// callback ends the training; with save_best_only, only after epochs with the best figure so far.
/// Put it after the other callbacks, whose state it saves.
///
/// Errors   std::invalid_argument for options that contradict each other; std::runtime_error when
///          the file cannot be written, checked in on_train_begin; an older file then stays intact
struct ModelCheckpointOptions {
  std::filesystem::path path;
  std::optional<std::int64_t> every_steps = {};
  bool save_best_only = false;
  std::string monitor = "val_loss";  ///< for save_best_only
};

class ModelCheckpoint : public Callback {
 public:
  explicit ModelCheckpoint(ModelCheckpointOptions options);

  void on_train_begin(FitState& state) override;
  void on_step_end(FitState& state) override;
  void on_epoch_end(FitState& state) override;
  void on_train_end(FitState& state) override;
  void save(Checkpoint& checkpoint) const override;
  void load(const Checkpoint& checkpoint) override;

 private:
  std::string key() const;  ///< of its own state
  void save_file(const FitState& state);

  ModelCheckpointOptions options_;
  std::optional<double> best_;
  std::int64_t saved_steps_ = -1;  ///< steps done at the last save
  std::size_t saved_epochs_ = 0;
};

}  // namespace systole::nn
