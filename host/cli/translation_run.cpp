#include "host/cli/translation_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "host/cli/training_words.h"

namespace systole {
namespace {

void print_translation(const TranslationTask& task, const TrainingPlan& plan,
                       const Device& device) {
  const nn::TranslationData& data = task.data();
  print_line("model", fmt::format("{}: GRU encoder and decoder of {} units with Bahdanau attention",
                                  kTranslationModel, task.sizes().units));
  print_line("data",
             fmt::format("{}: {} Spanish training sentences of at most {} words, {} held out",
                         task.choice().dataset, data.train.size(), task.sizes().data.max_words,
                         data.held_out.size()));
  print_line("vocabularies",
             fmt::format("{} Spanish, {} English words", data.source.size(), data.target.size()));
  print_line("device", fmt::format("{}, products in {}", device_words(device.info()),
                                   to_string(plan.precision)));
  print_line("optimizer", fmt::format("{}, batches of {}, seed {}", describe_updates(plan.choice),
                                      plan.batch_size, plan.seed));
  std::fflush(stdout);
}

void print_judgement(const TranslationTask::Judgement& judgement, const nn::TranslationData& data,
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

void train_translator(const TrainingOptions& options, const TranslationSizes& sizes,
                      std::int64_t examples, const FitSetup& setup, nn::Callback& watcher,
                      const Device& device, const EnergyOptions& energy, const JsonFile& json) {
  const TranslationTask task(options, sizes);
  TrainingPlan plan{.choice = task.choice(),
                    .precision = choose_precision(options, device),
                    .batch_size = options.batch_size,
                    .epochs = options.epochs,
                    .steps_per_execution = options.steps_per_execution,
                    .seed = options.seed,
                    .energy = energy};
  setup.apply(plan);
  plan.callbacks.push_back(&watcher);
  plan.steps_per_epoch = steps_in_epoch(options, std::ssize(task.data().train), plan.batch_size);
  print_translation(task, plan, device);
  const TranslationTask::Outcome outcome = task.run(plan, device);
  json.write(task.record(plan, outcome, device.info()));
  print_result(outcome.result, device.info());
  print_judgement(*outcome.judgement, task.data(), examples);
}

}  // namespace systole
