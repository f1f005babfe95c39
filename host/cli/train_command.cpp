#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "host/cli/commands.h"
#include "host/cli/configuration_option.h"
#include "host/cli/device_options.h"
#include "host/cli/fit_options.h"
#include "host/cli/inspection.h"
#include "host/cli/json_file.h"
#include "host/cli/run_record.h"
#include "host/cli/strategy_option.h"
#include "host/cli/training_options.h"
#include "host/cli/training_run.h"
#include "host/cli/training_words.h"
#include "host/cli/translation_run.h"
#include "host/cli/usage_error.h"
#include "host/data/datasets.h"
#include "host/nn/callbacks/csv_logger.h"
#include "host/nn/callbacks/model_checkpoint.h"

namespace systole {
namespace {

struct TrainOptions {
  TrainingOptions training;
  TranslationSizes translation;
  std::int64_t examples = 5;  ///< translations to print
  std::string device;         ///< empty: $SYSTOLE_DEVICE's or the default
  std::optional<int> cores;
  DeviceOptions machine;
  std::string configuration;  ///< its name, if the machine is one that has one
  EnergyOptions energy;       ///< of the configuration, whatever overrides it
  FitSettings fit;
  std::string json_path;
  InspectionOptions inspection;
};

void print_plan(const TrainingPlan& plan, const Strategy& strategy, const SplitDataset& data) {
  const std::string cores =
      strategy.cores() == 1 ? "" : fmt::format("{} cores, each ", strategy.cores());
  print_line("model", fmt::format("{}: {}", plan.choice.model.name, plan.choice.model.description));
  print_line("data", fmt::format("{}: {} training samples, {} test samples", plan.choice.dataset,
                                 data.train.size(), data.test.size()));
  print_line("device",
             fmt::format("{}{}, products in {}", cores, device_words(strategy.device(0).info()),
                         to_string(plan.precision)));
  print_line("optimizer", fmt::format("{}, batches of {}, seed {}", describe_updates(plan.choice),
                                      plan.batch_size, plan.seed));
}

// What one rank does on behalf of all.
bool writes_files(const nn::Callback* callback) {
  return dynamic_cast<const nn::CsvLogger*>(callback) != nullptr ||
         dynamic_cast<const nn::ModelCheckpoint*>(callback) != nullptr;
}

void need_one_core(const InspectionOptions& inspection, const Strategy& strategy) {
  if (!inspection.asked() || strategy.cores() == 1) return;
  throw UsageError("--timeline and --trace look into one core: leave out --cores and ranks");
}

void run_train(const TrainOptions& options) {
  const TrainingOptions& training = options.training;
  DeviceOptions machine = options.machine;
  machine.check_seed = training.seed;
  if (training.model == kTranslationModel) {
    need_no_images(options.fit);
    const FitSetup setup(options.fit);
    const Strategy strategy = open_strategy(options.device, machine, options.cores);
    if (strategy.cores() > 1) {
      throw UsageError(fmt::format("{} trains on one core of one rank", kTranslationModel));
    }
    const Device& device = strategy.device(0);
    note_cache(device);
    const JsonFile json(options.json_path);
    inspect_training(options.inspection, device, machine, [&](nn::Callback& watcher) {
      train_translator(training, options.translation, options.examples, setup, watcher, device,
                       options.energy, json);
    });
    if (const auto check = device.check_coverage()) print_line("checked", describe(*check));
    return;
  }
  TrainingPlan plan{.choice = choose_training(training),
                    .batch_size = training.batch_size,
                    .epochs = training.epochs,
                    .steps_per_execution = training.steps_per_execution,
                    .seed = training.seed,
                    .augmentation = choose_augmentation(options.fit),
                    .normalization = options.fit.normalize,
                    .configuration = options.configuration,
                    .energy = options.energy};
  if (plan.choice.model.is_of_text()) need_no_images(options.fit);
  const FitSetup setup(options.fit);
  setup.apply(plan);
  const Strategy strategy = open_strategy(options.device, machine, options.cores);
  const bool speaks = strategy.is_first_rank();
  if (!speaks) std::erase_if(plan.callbacks, writes_files);
  const Device& device = strategy.device(0);
  if (speaks) note_cache(device);
  plan.precision = choose_precision(training, device);
  const JsonFile json(speaks ? options.json_path : "");
  SplitDataset data = load_dataset(plan.choice.dataset, training.data_dir,
                                   training.context.value_or(kWordsContext));
  plan.steps_per_epoch = steps_in_epoch(training, data.train.size(), plan.batch_size);
  normalize(data, options.fit);
  if (training.test_samples) data.test = data.test.first(*training.test_samples);

  need_one_core(options.inspection, strategy);
  inspect_training(options.inspection, device, machine, [&](nn::Callback& watcher) {
    if (speaks) print_plan(plan, strategy, data);
    if (speaks && plan.resume != nullptr) print_line("resumed", options.fit.resume);
    std::fflush(stdout);
    plan.callbacks.push_back(&watcher);
    const TrainingResult result = run_training(plan, strategy, data);
    if (!speaks) return;
    json.write(training_record(plan, result, device.info()));
    print_result(result, device.info());
  });
}

}  // namespace

void add_train_command(CLI::App& app) {
  // Shared with the callback, which runs after this function has returned.
  auto options = std::make_shared<TrainOptions>();
  CLI::App* command = app.add_subcommand("train", "Train a network on a device");
  add_training_options(*command, options->training);
  add_translation_options(*command, options->translation);
  add_count(*command, "--examples", options->examples, "Translations to print")
      ->group(kTranslationGroup);
  add_count(*command, "--batch-size", options->training.batch_size, "Samples in a step");
  add_fit_options(*command, options->fit);
  add_device_option(*command, options->device);
  command->get_option("--device")->default_str("$SYSTOLE_DEVICE, or " + default_device());
  add_cores_option(*command, options->cores);
  add_machine_options(*command, options->machine);
  add_check_option(*command, options->machine);
  add_seed_option(*command, options->training.seed);
  add_json_option(*command, options->json_path);
  add_inspection_options(*command, options->inspection, true);
  command->footer(
      "A training step is compiled into a program of the device, which keeps the weights; on cpu\n"
      "the same step runs in fp32. The same seed gives the same losses and weights, to the last\n"
      "bit, on every bit-exact device. Wall time is measured, cycles are simulated, and device\n"
      "time follows from an assumed clock. scripts/fetch_data fetches the data sets.\n"
      "\n"
      "Example:\n"
      "  systole train mnist-mlp --dataset fashion-mnist --device cpu --epochs 3 --json run.json\n"
      "  systole train mnist-mlp --epochs 20 --early-stopping 3 --checkpoint run.safetensors\n"
      "Ctrl-C ends a run with a checkpoint after the current step; --resume continues from there.");
  command->callback([options, command] {
    need_translation(*command, options->training.model);
    const char* usual = std::getenv("SYSTOLE_DEVICE");
    need_used_options(*command,
                      options->device.empty() && usual != nullptr ? usual : options->device);
    options->configuration = configuration_name(*command);
    options->energy = energy_of_configuration(configuration_word(*command));
    run_train(*options);
  });
}

}  // namespace systole
