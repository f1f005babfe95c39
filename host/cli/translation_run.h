#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "host/cli/fit_options.h"
#include "host/cli/json_file.h"
#include "host/cli/training_options.h"
#include "host/driver/device.h"
#include "host/nn/translation/translation_data.h"

namespace systole {

/// The MODEL of `systole train` that is not a chain of layers: translation.
inline constexpr std::string_view kTranslationModel = "nmt";

/// Its options besides TrainingOptions.
struct TranslationRun {
  nn::TranslationOptions data;
  std::int64_t units = 256;
  std::int64_t examples = 5;
};

void add_translation_options(CLI::App& command, TranslationRun& run);

/// Trains on the English-Spanish pairs, translates the held-out sentences, and prints BLEU and some
/// translations. `watcher` is called like the setup's callbacks.
///
/// Errors   UsageError for a data set, optimizer or size that this model does not support
void train_translator(const TrainingOptions& options, const TranslationRun& run,
                      const FitSetup& setup, nn::Callback& watcher, const Device& device,
                      const JsonFile& json);

}  // namespace systole
