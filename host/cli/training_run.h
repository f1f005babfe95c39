#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/cli/cores_record.h"
#include "host/cli/training_options.h"
#include "host/data/dataset.h"
#include "host/distribute/strategy.h"
#include "host/driver/counters.h"
#include "host/driver/device.h"

namespace systole {

/// One training on one device.
struct TrainingPlan {
  TrainingChoice choice;
  DataType precision = DataType::kBf16;
  std::int64_t batch_size = 128;
  std::int64_t epochs = 1;
  std::int64_t steps_per_epoch = 0;
  std::uint64_t seed = 1;
  std::optional<std::int64_t> validation_freq = {};  ///< by the test data, after so many epochs
  std::vector<nn::Callback*> callbacks = {};         ///< besides the progress bar
  const nn::Checkpoint* resume = nullptr;
  nn::Augmentation augmentation = {};
  std::string normalization = "scale";  ///< what was done with the data
  bool evaluated = true;                ///< judge it by the test data afterwards
  std::int64_t mark_step = 0;  ///< take a checksum of the weights after so many steps; 0: none
};

/// What came of it.
///
/// Units    counters (of all cores and ranks together) and the seconds are of the training alone,
///          without evaluation, and of this run alone where it was resumed; the history has what
///          was before, too. wall_seconds is measured; host_seconds is the part of it outside the
///          device's copies and products.
struct TrainingResult {
  nn::History history;
  std::vector<double> host_step_seconds;  ///< of each step, the part outside the device
  Counters counters;
  std::optional<double> device_seconds;  ///< of all cores; empty: cycles at the clock
  nlohmann::ordered_json cores;          ///< see cores_record.h
  std::vector<Line> about_cores;         ///< the same for people
  double wall_seconds = 0;
  double host_seconds = 0;
  std::optional<nn::Score> test;
  std::optional<CheckCoverage> check;  ///< of the training and the evaluation, with --check-rtl
  std::string checksum;       ///< of the bits of all trained weights, in the order of the layers
  std::string mark_checksum;  ///< the same after mark_step steps
  std::int64_t parameter_count = 0;
  std::int64_t samples = 0;  ///< to learn from, in the whole data set
  std::string summary;
};

/// Steps in an epoch: all batches, or fewer if steps_per_epoch says so.
///
/// Errors   UsageError if it asks for more batches than there are
std::int64_t steps_in_epoch(const TrainingOptions& options, std::int64_t samples,
                            std::int64_t batch_size);

/// Trains on the cores of a strategy; the first rank shows a progress bar on standard error.
TrainingResult run_training(const TrainingPlan& plan, const Strategy& strategy,
                            const SplitDataset& data);

/// What was asked for, as the record's `config`: equal for equal runs.
nlohmann::ordered_json training_config(const TrainingPlan& plan, const DeviceInfo& info);

/// The recorded run as JSON, in the words of `systole train --json`.
nlohmann::ordered_json training_record(const TrainingPlan& plan, const TrainingResult& result,
                                       const DeviceInfo& info);

/// Mean seconds of all steps but the first, which also pays for buffers and caches; 0 if there is
/// one only.
double later_step_seconds(const nn::History& history);

/// A tenth of all steps took at most so many seconds: what a step takes while nothing else runs.
/// Far below the mean, it tells of a busy machine.
double fastest_tenth(std::vector<double> step_seconds);

}  // namespace systole
