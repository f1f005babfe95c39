#include "host/nn/translation/translator_checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>
#include <string_view>

#include "host/nn/training/checkpoint.h"

namespace systole::nn {
namespace {

constexpr const char* kSource = "nmt.source_words";
constexpr const char* kTarget = "nmt.target_words";
constexpr const char* kUnits = "nmt.units";
constexpr const char* kEmbeddingSize = "nmt.embedding_size";

// No word has a space in it.
std::string join(const Vocabulary& vocabulary) {
  return fmt::format("{}", fmt::join(vocabulary.words(), " "));
}

Vocabulary read_vocabulary(const Checkpoint& checkpoint, const char* key) {
  const std::string joined = checkpoint.words(key);
  Words words;
  for (std::size_t first = 0; first <= joined.size();) {
    const std::size_t end = std::min(joined.find(' ', first), joined.size());
    words.push_back(joined.substr(first, end - first));
    first = end + 1;
  }
  try {
    return Vocabulary(words);
  } catch (const std::invalid_argument& error) {
    throw checkpoint.error(fmt::format("its {} are damaged: {}", key, error.what()));
  }
}

}  // namespace

void TranslatorRecord::save(Checkpoint& checkpoint) const {
  checkpoint.set(kSource, join(source_));
  checkpoint.set(kTarget, join(target_));
  checkpoint.set(kUnits, options_.units);
  checkpoint.set(kEmbeddingSize, options_.embedding_size);
}

void TranslatorRecord::load(const Checkpoint& checkpoint) {
  if (checkpoint.words(kSource) != join(source_) || checkpoint.words(kTarget) != join(target_)) {
    throw checkpoint.error(
        "its vocabularies are not those of this run: resume with the same sentences");
  }
}

std::string TrainedTranslator::translate(std::string_view sentence) {
  const Words words = split_words(sentence);
  if (words.empty()) {
    throw std::invalid_argument(fmt::format("there are no words in '{}'", sentence));
  }
  const std::vector<std::vector<std::int32_t>> sources{source.encode(words)};
  const auto most_words = 2 * std::ssize(words) + 10;
  return target.decode(translator.translate(sources, most_words).front());
}

TrainedTranslator load_translator(const std::filesystem::path& path, const Device& device,
                                  std::optional<DataType> precision) {
  const Checkpoint checkpoint = Checkpoint::load(path);
  if (!checkpoint.has(kSource)) {
    throw checkpoint.error("it holds another model: train a translator with systole train nmt");
  }
  const Vocabulary source = read_vocabulary(checkpoint, kSource);
  const Vocabulary target = read_vocabulary(checkpoint, kTarget);
  TrainedTranslator trained{
      .source = source,
      .target = target,
      .translator = Translator({.source_words = source.size(),
                                .target_words = target.size(),
                                .embedding_size = checkpoint.integer(kEmbeddingSize),
                                .units = checkpoint.integer(kUnits),
                                .device = device,
                                .precision = precision})};
  load_weights(checkpoint, trained.translator.parameters());
  return trained;
}

}  // namespace systole::nn
