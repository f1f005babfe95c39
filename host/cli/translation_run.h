#pragma once

#include <cstdint>

#include "host/cli/fit_options.h"
#include "host/cli/json_file.h"
#include "host/cli/translation_task.h"
#include "host/device/device.h"
#include "host/device/energy_options.h"

namespace systole {

/// Trains the translator, translates the held-out sentences, and prints BLEU and `examples` of the
/// translations. `watcher` is called like the setup's callbacks.
///
/// Errors   UsageError for a data set, optimizer or size that this model does not support
void train_translator(const TrainingOptions& options, const TranslationSizes& sizes,
                      std::int64_t examples, const FitSetup& setup, nn::Callback& watcher,
                      const Device& device, const EnergyOptions& energy, const JsonFile& json);

}  // namespace systole
