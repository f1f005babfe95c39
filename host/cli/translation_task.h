#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/cli/training_options.h"
#include "host/cli/training_run.h"
#include "host/nn/translation/bleu.h"
#include "host/nn/translation/translation_data.h"

namespace systole {

/// Its options besides TrainingOptions.
struct TranslationSizes {
  nn::TranslationOptions data;
  std::int64_t units = 256;
};

/// The group of its options in the help.
inline constexpr const char* kTranslationGroup = "Options of nmt";

void add_translation_options(CLI::App& command, TranslationSizes& sizes);

/// Refuses what the command line gives of kTranslationGroup if `model` is another.
///
/// Errors   UsageError naming the option
void need_translation(const CLI::App& command, const std::string& model);

/// The translator and its English-Spanish pairs: what is trained, on any device.
class TranslationTask {
 public:
  /// Errors   UsageError for a data set, optimizer or size that this model does not support
  TranslationTask(const TrainingOptions& options, const TranslationSizes& sizes);

  const TrainingChoice& choice() const { return choice_; }
  const TranslationSizes& sizes() const { return sizes_; }
  const nn::TranslationData& data() const { return data_; }

  /// What the translator makes of the held-out sentences.
  struct Judgement {
    nn::Bleu bleu;
    std::vector<std::vector<std::int32_t>> translations;
  };
  struct Outcome {
    TrainingResult result;
    std::optional<Judgement> judgement;  ///< if the plan evaluates
  };
  Outcome run(const TrainingPlan& plan, const Device& device) const;

  nlohmann::ordered_json config(const TrainingPlan& plan, const DeviceInfo& info) const;

  /// The recorded run, in the JSON form of `systole train --json`, with BLEU.
  nlohmann::ordered_json record(const TrainingPlan& plan, const Outcome& outcome,
                                const DeviceInfo& info) const;

 private:
  TranslationSizes sizes_;
  TrainingChoice choice_;
  nn::TranslationData data_;
};

}  // namespace systole
