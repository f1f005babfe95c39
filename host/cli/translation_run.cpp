#include "host/cli/translation_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "host/cli/device_options.h"
#include "host/cli/train_command.h"
#include "host/cli/training_meter.h"
#include "host/cli/training_run.h"
#include "host/cli/usage_error.h"
#include "host/data/parallel_text.h"
#include "host/nn/callbacks/progress_bar.h"
#include "host/nn/translation/bleu.h"
#include "host/nn/translation/translator_checkpoint.h"
#include "host/runtime/checksum.h"

namespace systole {
namespace {

constexpr std::string_view kDataset = "spa-eng";

struct Judgement {
  nn::WordScore score;
  nn::Bleu bleu;
  std::vector<std::vector<std::int32_t>> translations;  ///< of the held-out sentences
};

TrainingPlan make_plan(const TrainingOptions& options, const Device& device) {
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
  TrainingPlan plan;
  plan.batch_size = options.batch_size;
  plan.epochs = options.epochs;
  plan.seed = options.seed;
  plan.choice.model.name = kTranslationModel;
  plan.choice.dataset = kDataset;
  plan.choice.optimizer =
      nn::Adam{.learning_rate = options.learning_rate.value_or(nn::Adam{}.learning_rate)};
  plan.choice.schedule = nn::parse_schedule(options.schedule);
  plan.choice.clip_norm = options.clip_norm.value_or(nn::TranslatorOptions::kClipNorm);
  plan.precision = choose_precision(options, device);
  plan.steps_per_execution = options.steps_per_execution;
  return plan;
}

nn::TranslationData load_data(const TrainingOptions& options, nn::TranslationOptions data) {
  data.seed = options.seed;
  data.held_out = options.test_samples.value_or(data.held_out);
  std::optional<std::filesystem::path> data_dir;
  if (!options.data_dir.empty()) data_dir = options.data_dir;
  const auto pairs = load_parallel_text(data_dir);
  try {
    return nn::make_translation_data(pairs, data);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
}

TrainingResult run(const TrainingPlan& plan, const nn::TranslationData& data,
                   const nn::TranslatorOptions& options, nn::Translator& translator) {
  TrainingResult result;
  result.samples = std::ssize(data.train);
  const Device& device = options.device;
  nn::ProgressBar bar;
  TrainingMeter meter([&] { return translator.device_wall_seconds(); }, {device},
                      [&] { return translator.processor_products(); });
  nn::TranslatorRecord record(data.source, data.target, options);
  std::vector<nn::Callback*> callbacks{&bar, &meter, &record};
  callbacks.insert(callbacks.end(), plan.callbacks.begin(), plan.callbacks.end());
  result.history =
      translator.fit(data.train,
                     {.epochs = plan.epochs,
                      .batch_size = plan.batch_size,
                      .steps_per_epoch = plan.steps_per_epoch,
                      .validation_freq = plan.validation_freq.value_or(1),
                      .seed = plan.seed,
                      .callbacks = callbacks,
                      .resume = plan.resume},
                     plan.validation_freq ? std::span<const nn::TokenPair>(data.held_out)
                                          : std::span<const nn::TokenPair>());
  result.counters = meter.counters();
  result.infeed_bytes = translator.infeed_bytes();
  result.runs_whole_steps = plan.steps_per_execution.has_value();
  complete(result, meter, device.info());
  Checksum checksum;
  for (const nn::Parameter* parameter : translator.parameters()) {
    checksum.add(std::span<const float>(parameter->value));
    result.parameter_count += std::ssize(parameter->value);
  }
  result.checksum = checksum.hex();
  return result;
}

Judgement judge(nn::Translator& translator, const nn::TranslationData& data,
                std::int64_t batch_size) {
  Judgement judgement;
  judgement.score = translator.evaluate(data.held_out, {.batch_size = batch_size});
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

nlohmann::ordered_json make_record(const TrainingPlan& plan, const TrainingResult& result,
                                   const Judgement& judgement, const nn::TranslationData& data,
                                   const TranslationRun& run, const DeviceInfo& info) {
  auto record = training_record(plan, result, info);
  auto& config = record["config"];
  config["sentences"] = std::ssize(data.train);
  config["held_out"] = std::ssize(data.held_out);
  config["max_words"] = run.data.max_words;
  config["vocabulary"] = run.data.vocabulary;
  config["units"] = run.units;
  record["bleu"] = judgement.bleu.score;
  for (std::size_t i = 0; i < data.held_out.size(); ++i) {
    record["translations"].push_back(
        {{"source", data.source.decode(data.held_out[i].source)},
         {"reference", data.target.decode(data.held_out[i].target)},
         {"translation", data.target.decode(judgement.translations[i])}});
  }
  return record;
}

void print_judgement(const Judgement& judgement, const nn::TranslationData& data,
                     std::int64_t examples) {
  const auto& p = judgement.bleu.precisions;
  print_line("BLEU-4",
             fmt::format("{:.2f} on {} held-out sentences (words, pairs, triples, fours: {:.1f}, "
                         "{:.1f}, {:.1f}, {:.1f}%; brevity {:.3f})",
                         judgement.bleu.score, data.held_out.size(), 100 * p[0], 100 * p[1],
                         100 * p[2], 100 * p[3], judgement.bleu.brevity_penalty));
  const auto shown = std::min(static_cast<std::size_t>(examples), data.held_out.size());
  for (std::size_t i = 0; i < shown; ++i) {
    print_line("source", data.source.decode(data.held_out[i].source));
    print_line("  reference", data.target.decode(data.held_out[i].target));
    print_line("  translation", data.target.decode(judgement.translations[i]));
  }
}

}  // namespace

void add_translation_options(CLI::App& command, TranslationRun& run) {
  const auto count = [&](const char* name, std::int64_t& value, const char* help) {
    command.add_option(name, value, help)
        ->check(kPositiveWhole)
        ->type_name("COUNT")
        ->capture_default_str()
        ->group("Options of nmt");
  };
  count("--sentences", run.data.sentences, "Sentence pairs to train on");
  count("--max-words", run.data.max_words, "Longest sentence; punctuation marks count as words");
  count("--vocabulary", run.data.vocabulary, "Vocabulary size of each language, at most");
  count("--units", run.units, "Size of an embedding, a state and the attention");
  count("--examples", run.examples, "Translations to print");
}

void train_translator(const TrainingOptions& options, const TranslationRun& run_options,
                      const FitSetup& setup, nn::Callback& watcher, const Device& device,
                      const JsonFile& json) {
  TrainingPlan plan = make_plan(options, device);
  setup.apply(plan);
  plan.callbacks.push_back(&watcher);
  const nn::TranslationData data = load_data(options, run_options.data);
  plan.steps_per_epoch = steps_in_epoch(options, std::ssize(data.train), plan.batch_size);
  const nn::TranslatorOptions sizes{.source_words = data.source.size(),
                                    .target_words = data.target.size(),
                                    .embedding_size = run_options.units,
                                    .units = run_options.units,
                                    .optimizer = std::get<nn::Adam>(plan.choice.optimizer),
                                    .schedule = plan.choice.schedule,
                                    .clip_norm = *plan.choice.clip_norm,
                                    .device = device,
                                    .precision = plan.precision,
                                    .steps_per_execution = plan.steps_per_execution,
                                    .seed = plan.seed};
  nn::Translator translator(sizes);

  print_line("model", fmt::format("{}: GRU encoder and decoder of {} units with Bahdanau attention",
                                  kTranslationModel, run_options.units));
  print_line(
      "data",
      fmt::format("{}: {} Spanish training sentences of at most {} words, {} held out", kDataset,
                  data.train.size(), run_options.data.max_words, data.held_out.size()));
  print_line("vocabularies",
             fmt::format("{} Spanish, {} English words", data.source.size(), data.target.size()));
  print_line("device", fmt::format("{}, products in {}", device_words(device.info()),
                                   to_string(plan.precision)));
  print_line("optimizer", fmt::format("{}, batches of {}, seed {}", describe_updates(plan.choice),
                                      plan.batch_size, plan.seed));
  std::fflush(stdout);

  TrainingResult result = run(plan, data, sizes, translator);
  const Judgement judgement = judge(translator, data, plan.batch_size);
  result.test = nn::Score{.loss = judgement.score.loss, .accuracy = judgement.score.accuracy};
  json.write(make_record(plan, result, judgement, data, run_options, device.info()));
  print_result(result, device.info());
  print_judgement(judgement, data, run_options.examples);
}

}  // namespace systole
