#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/cli/cores_record.h"
#include "host/cli/training_meter.h"
#include "host/cli/training_options.h"
#include "host/data/dataset.h"
#include "host/device/action_counts.h"
#include "host/device/counters.h"
#include "host/device/device.h"
#include "host/device/device_sizes.h"
#include "host/device/energy_options.h"
#include "host/distribute/strategy.h"
#include "host/report/recorded_run.h"

namespace systole {

/// One training on one device.
struct TrainingPlan {
  TrainingChoice choice;
  DataType precision = DataType::kBf16;
  std::int64_t batch_size = 128;
  std::int64_t epochs = 1;
  std::int64_t steps_per_epoch = 0;
  std::int64_t steps_per_execution = 1;  ///< of a launch, at most
  std::uint64_t seed = 1;
  std::optional<std::int64_t> validation_freq =
      {};                                     ///< epochs between validations on the test data
  std::vector<nn::Callback*> callbacks = {};  ///< besides the progress bar
  const nn::Checkpoint* resume = nullptr;
  nn::Augmentation augmentation = {};
  std::string normalization = "scale";  ///< how the data was prepared
  std::string configuration = {};       ///< the device's, if it is one with a name
  EnergyOptions energy = {};            ///< the device's configuration's
  bool evaluated = true;                ///< evaluate on the test data afterwards
  std::int64_t mark_step = 0;  ///< the step after which to take a checksum of the weights; 0: none
};

/// The result of a training.
///
/// Units    counters (of all cores and ranks together) and seconds cover the training only, without
///          evaluation; after a resume they cover this run only, while the history covers
///          everything.
struct TrainingResult : RecordedMeasures {
  nn::History history;
  /// The first execution also compiles and waits for the first batches, so it is apart from the
  /// others. Seconds of a step outside the device:
  std::vector<double> host_step_seconds;       ///< of the others, one each; if none, of the first
  std::vector<double> processor_step_seconds;  ///< the same, of the process's threads together
  std::int64_t first_steps = 0;                ///< of the first execution
  Counters counters;
  std::optional<ActionCounts> actions;   ///< as counters; none where the device runs no programs
  DeviceSizes sizes;                     ///< of such a device
  std::optional<double> device_seconds;  ///< of all cores; empty: cycles at the clock
  std::vector<Line> core_lines;          ///< about_cores in readable form
  std::optional<nn::Score> test;
  std::optional<double> cpu_joules;    ///< of the steps, where the machine shows them
  std::optional<CheckCoverage> check;  ///< of the training and the evaluation, with --check-rtl
  std::string summary;
};

/// Steps in an epoch: all batches, or steps_per_epoch.
///
/// Errors   UsageError if steps_per_epoch exceeds the number of batches
std::int64_t steps_in_epoch(const TrainingOptions& options, std::int64_t samples,
                            std::int64_t batch_size);

/// Fills in a result's times, shares and programs, after its history, counters, device_seconds and
/// infeed_bytes.
void complete(TrainingResult& result, const TrainingMeter& meter, const DeviceInfo& info);

/// Trains on the cores of a strategy; the first rank shows a progress bar on standard error.
TrainingResult run_training(const TrainingPlan& plan, const Strategy& strategy,
                            const SplitDataset& data);

/// Of the bits of all weights, in the order of the layers.
std::string weight_checksum(std::span<nn::Parameter* const> parameters);

/// A callback for FitOptions::on_step that puts `checksum()` into `mark` after the plan's marked
/// step.
std::function<void(const nn::Progress&)> mark_weights(const TrainingPlan& plan, std::string& mark,
                                                      std::function<std::string()> checksum);

/// The run's options, as the record's `config`: equal for equal runs.
nlohmann::ordered_json training_config(const TrainingPlan& plan, const DeviceInfo& info);

/// The recorded run, in the JSON form of `systole train --json`.
nlohmann::ordered_json training_record(const TrainingPlan& plan, const TrainingResult& result,
                                       const DeviceInfo& info);

/// Mean seconds of all steps after the first execution, which also pays for programs, buffers and
/// caches; 0 if there are none.
double later_step_seconds(const TrainingResult& result);

/// The seconds within which the fastest tenth of the steps finished: a step's time while nothing
/// else runs. A value far below the mean indicates a busy machine.
double fastest_tenth(std::vector<double> step_seconds);

}  // namespace systole
