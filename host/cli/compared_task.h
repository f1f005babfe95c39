#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "host/cli/training_run.h"
#include "host/cli/translation_task.h"
#include "host/distribute/strategy.h"

namespace systole {

/// What a comparison trains on each of its devices: a chain of layers, or the translator.
struct ComparedTask {
  TrainingChoice choice;
  std::int64_t samples = 0, test_samples = 0;  ///< to train on, and to evaluate on

  /// A run's options and its record, as `systole train --json` has them.
  std::function<nlohmann::ordered_json(const TrainingPlan& plan, const DeviceInfo& info)> config;
  std::function<nlohmann::ordered_json(const TrainingPlan& plan, const Strategy& strategy)> run;
};

/// Reads the data.
///
/// Errors   UsageError for options that the model does not have
ComparedTask open_task(const TrainingOptions& options, const TranslationSizes& sizes);

}  // namespace systole
