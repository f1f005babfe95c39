#pragma once

#include <filesystem>
#include <optional>

#include "host/data/vocabulary.h"
#include "host/nn/training/callback.h"
#include "host/nn/translation/translator.h"

namespace systole::nn {

/// Saves vocabularies and sizes with the weights, so a checkpoint alone suffices to translate. Put
/// it before ModelCheckpoint.
///
/// Errors   CheckpointError when resuming with other vocabularies
class TranslatorRecord : public Callback {
 public:
  TranslatorRecord(const Vocabulary& source, const Vocabulary& target,
                   const TranslatorOptions& options)
      : source_(source), target_(target), options_(options) {}

  void save(Checkpoint& checkpoint) const override;
  void load(const Checkpoint& checkpoint) override;

 private:
  const Vocabulary& source_;
  const Vocabulary& target_;
  TranslatorOptions options_;
};

/// A trained translator, loaded from a checkpoint.
struct TrainedTranslator {
  Vocabulary source, target;
  Translator translator;

  /// Takes a sentence as people write it; returns lower-case words without accents.
  ///
  /// Errors   std::invalid_argument for a sentence without words or not in UTF-8
  std::string translate(std::string_view sentence);
};

/// Errors   CheckpointError for a damaged file or another model's
TrainedTranslator load_translator(const std::filesystem::path& path, const Device& device,
                                  std::optional<DataType> precision = {});

}  // namespace systole::nn
