#pragma once

#include <memory>
#include <nlohmann/json.hpp>

#include "host/cli/training_run.h"
#include "host/cli/translation_task.h"
#include "host/distribute/strategy.h"

namespace systole {

/// What a comparison trains on each of its devices: a chain of layers, or the translator.
class ComparedTask {
 public:
  virtual ~ComparedTask() = default;

  virtual const TrainingChoice& choice() const = 0;
  virtual std::int64_t samples() const = 0;       ///< to train on
  virtual std::int64_t test_samples() const = 0;  ///< to evaluate on

  /// A run's options and its record, as `systole train --json` has them.
  virtual nlohmann::ordered_json config(const TrainingPlan& plan, const DeviceInfo& info) const = 0;
  virtual nlohmann::ordered_json run(const TrainingPlan& plan, const Strategy& strategy) const = 0;
};

/// Reads the data.
///
/// Errors   UsageError for options that the model does not have
std::unique_ptr<ComparedTask> open_task(const TrainingOptions& options,
                                        const TranslationSizes& sizes);

}  // namespace systole
