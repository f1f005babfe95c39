#include "host/cli/translation_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "host/cli/device_options.h"
#include "host/cli/training_meter.h"
#include "host/cli/usage_error.h"
#include "host/data/parallel_text.h"
#include "host/nn/callbacks/progress_bar.h"
#include "host/nn/translation/translator_checkpoint.h"

namespace systole {
namespace {

constexpr std::string_view kDataset = "spa-eng";

TrainingChoice choose_translation(const TrainingOptions& options) {
  if (!options.dataset.empty() && options.dataset != kDataset) {
    throw UsageError(fmt::format("unknown dataset '{}' for {}: it has {}", options.dataset,
                                 kTranslationModel, kDataset));
  }
  if (options.optimizer != "adam") {
    throw UsageError(fmt::format("unknown optimizer '{}' for {}: it has adam", options.optimizer,
                                 kTranslationModel));
  }
  if (options.dropout) {
    throw UsageError(fmt::format("--dropout: {} has no place for it", kTranslationModel));
  }
  TrainingChoice choice;
  choice.model.name = kTranslationModel;
  choice.dataset = kDataset;
  choice.optimizer =
      nn::Adam{.learning_rate = options.learning_rate.value_or(nn::Adam{}.learning_rate)};
  choice.schedule = nn::parse_schedule(options.schedule);
  choice.clip_norm = options.clip_norm.value_or(nn::TranslatorOptions::kClipNorm);
  return choice;
}

nn::TranslationData load_data(const TrainingOptions& options, nn::TranslationOptions data) {
  data.seed = options.seed;
  data.held_out = options.test_samples.value_or(data.held_out);
  const auto pairs = load_parallel_text(options.data_dir);
  return as_usage([&] { return nn::make_translation_data(pairs, data); });
}

TranslationTask::Judgement judge(nn::Translator& translator, const nn::TranslationData& data,
                                 std::int64_t batch_size) {
  TranslationTask::Judgement judgement;
  std::vector<std::vector<std::int32_t>> sources, references;
  std::size_t longest = 0;
  for (const nn::TokenPair& pair : data.held_out) {
    sources.push_back(pair.source);
    references.emplace_back(pair.target.begin() + 1, pair.target.end() - 1);
    longest = std::max(longest, references.back().size());
  }
  const auto most_words = static_cast<std::int64_t>(2 * longest);
  judgement.translations = translator.translate(sources, most_words, batch_size);
  judgement.bleu = nn::bleu(judgement.translations, references);
  return judgement;
}

}  // namespace

void add_translation_options(CLI::App& command, TranslationSizes& sizes) {
  const auto count = [&](const char* name, std::int64_t& value, const char* help) {
    add_count(command, name, value, help)->group(kTranslationGroup);
  };
  count("--sentences", sizes.data.sentences, "Sentence pairs to train on");
  count("--max-words", sizes.data.max_words, "Longest sentence; punctuation marks count as words");
  count("--vocabulary", sizes.data.vocabulary, "Vocabulary size of each language, at most");
  count("--units", sizes.units, "Size of an embedding, a state and the attention");
}

void need_translation(const CLI::App& command, const std::string& model) {
  if (model == kTranslationModel) return;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group() != kTranslationGroup || option->count() == 0) continue;
    throw UsageError(fmt::format("{} belongs to {}; {} has no place for it", option->get_name(),
                                 kTranslationModel, model));
  }
}

TranslationTask::TranslationTask(const TrainingOptions& options, const TranslationSizes& sizes)
    : sizes_(sizes), choice_(choose_translation(options)), data_(load_data(options, sizes.data)) {}

TranslationTask::Outcome TranslationTask::run(const TrainingPlan& plan,
                                              const Device& device) const {
  const nn::TranslatorOptions options{.source_words = data_.source.size(),
                                      .target_words = data_.target.size(),
                                      .embedding_size = sizes_.units,
                                      .units = sizes_.units,
                                      .optimizer = std::get<nn::Adam>(plan.choice.optimizer),
                                      .schedule = plan.choice.schedule,
                                      .clip_norm = *plan.choice.clip_norm,
                                      .device = device,
                                      .precision = plan.precision,
                                      .steps_per_execution = plan.steps_per_execution,
                                      .seed = plan.seed};
  nn::Translator translator(options);
  Outcome outcome;
  TrainingResult& result = outcome.result;
  result.samples = std::ssize(data_.train);
  nn::ProgressBar bar;
  TrainingMeter meter([&] { return translator.device_wall_seconds(); }, {device},
                      [&] { return translator.processor_products(); });
  nn::TranslatorRecord record(data_.source, data_.target, options);
  std::vector<nn::Callback*> callbacks{&bar, &meter, &record};
  callbacks.insert(callbacks.end(), plan.callbacks.begin(), plan.callbacks.end());
  const auto checksum = [&] { return weight_checksum(translator.parameters()); };
  result.history =
      translator.fit(data_.train,
                     {.epochs = plan.epochs,
                      .batch_size = plan.batch_size,
                      .steps_per_epoch = plan.steps_per_epoch,
                      .validation_freq = plan.validation_freq.value_or(1),
                      .seed = plan.seed,
                      .callbacks = callbacks,
                      .on_step = mark_weights(plan, result.mark_checksum, checksum),
                      .resume = plan.resume},
                     plan.validation_freq ? std::span<const nn::TokenPair>(data_.held_out)
                                          : std::span<const nn::TokenPair>());
  result.counters = meter.counters();
  result.infeed_bytes = translator.infeed_bytes();
  complete(result, meter, device.info());
  for (const nn::Parameter* parameter : translator.parameters()) {
    result.parameter_count += std::ssize(parameter->value);
  }
  result.checksum = checksum();
  if (!plan.evaluated) return outcome;
  const nn::WordScore score = translator.evaluate(data_.held_out, {.batch_size = plan.batch_size});
  result.test = nn::Score{.loss = score.loss, .accuracy = score.accuracy};
  outcome.judgement = judge(translator, data_, plan.batch_size);
  return outcome;
}

nlohmann::ordered_json TranslationTask::config(const TrainingPlan& plan,
                                               const DeviceInfo& info) const {
  auto config = training_config(plan, info);
  config["sentences"] = std::ssize(data_.train);
  config["held_out"] = std::ssize(data_.held_out);
  config["max_words"] = sizes_.data.max_words;
  config["vocabulary"] = sizes_.data.vocabulary;
  config["units"] = sizes_.units;
  return config;
}

nlohmann::ordered_json TranslationTask::record(const TrainingPlan& plan, const Outcome& outcome,
                                               const DeviceInfo& info) const {
  auto record = training_record(plan, outcome.result, info);
  record["config"] = config(plan, info);
  if (!outcome.judgement) return record;
  record["bleu"] = outcome.judgement->bleu.score;
  for (std::size_t i = 0; i < data_.held_out.size(); ++i) {
    record["translations"].push_back(
        {{"source", data_.source.decode(data_.held_out[i].source)},
         {"reference", data_.target.decode(data_.held_out[i].target)},
         {"translation", data_.target.decode(outcome.judgement->translations[i])}});
  }
  return record;
}

}  // namespace systole
