#pragma once

#include <filesystem>
#include <optional>

#include "host/data/vocabulary.h"
#include "host/nn/callbacks/callback.h"
#include "host/nn/translation/translator.h"

namespace systole::nn {

/// Saves the vocabularies and sizes with the weights, so that a checkpoint is all that translating
/// needs. Put it before ModelCheckpoint.
///
/// Errors   CheckpointError when a training is resumed with other vocabularies
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

/// A translator that was trained before, ready to be used.
struct TrainedTranslator {
  Vocabulary source, target;
  Translator translator;

  /// A sentence as people write it; what comes back is lower-case words without accents.
  ///
  /// Errors   std::invalid_argument for a sentence without words, or that is not UTF-8
  std::string translate(std::string_view sentence);
};

/// Errors   CheckpointError for a file that is damaged or of another model
TrainedTranslator load_translator(const std::filesystem::path& path, const Device& device,
                                  std::optional<DataType> precision = {});

}  // namespace systole::nn
