#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/cli/training_run.h"
#include "host/data/dataset.h"
#include "host/nn/training/augmentation.h"
#include "host/nn/training/callback.h"
#include "host/nn/training/checkpoint.h"

namespace systole {

/// The options of `train` besides TrainingOptions: how a run is evaluated, ended, saved and
/// resumed, and how the data is prepared.
struct FitSettings {
  std::optional<std::int64_t> validation_freq;
  std::optional<std::int64_t> patience;  ///< of early stopping
  std::string monitor = "val_loss";
  double min_delta = 0;
  bool restore_best = false;
  std::string csv;
  std::string checkpoint;
  std::optional<std::int64_t> checkpoint_every;
  std::string save_best;
  std::string resume;
  std::string normalize = "scale";
  std::string augment;
};

/// The variables must outlive parsing.
void add_fit_options(CLI::App& command, FitSettings& settings);

/// The chosen augmentation.
///
/// Errors   UsageError for unknown words
nn::Augmentation choose_augmentation(const FitSettings& settings);

/// Refuses options for images, for a model of sentences.
///
/// Errors   UsageError naming the option
void need_no_images(const FitSettings& settings);

/// Scales the data as chosen, the test data like the training data.
void normalize(SplitDataset& data, const FitSettings& settings);

/// The callbacks and the checkpoint that the settings describe.
///
/// Limits   monitoring a figure of the validation implies a validation after each epoch
/// Errors   UsageError for settings that contradict each other; CheckpointError for a checkpoint
///          that cannot be read
class FitSetup {
 public:
  explicit FitSetup(const FitSettings& settings);

  /// Fills in the plan's callbacks, checkpoint and validation; the setup must outlive its run.
  void apply(TrainingPlan& plan) const;

 private:
  std::vector<std::unique_ptr<nn::Callback>> callbacks_;
  std::optional<nn::Checkpoint> resume_;
  std::optional<std::int64_t> validation_freq_;
};

}  // namespace systole
