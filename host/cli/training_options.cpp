#include "host/cli/training_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "host/cli/device_options.h"
#include "host/cli/usage_error.h"
#include "host/data/datasets.h"
#include "host/nn/training/step_runner.h"

namespace systole {

void add_training_options(CLI::App& command, TrainingOptions& options) {
  const CLI::Validator above_zero =
      takes_number<float>("a number above 0", [](float value) { return value > 0; });
  command
      .add_option(
          "model", options.model,
          fmt::format("Network: {}, {}", fmt::join(nn::model_names(), ", "), kTranslationModel))
      ->required()
      ->type_name("MODEL");
  const auto count = [&](const char* name, auto& value, const char* help) {
    add_count(command, name, value, help);
  };
  command
      .add_option("--dataset", options.dataset,
                  fmt::format("Data set: {} (default: the model's first)",
                              fmt::join(dataset_names(), ", ")))
      ->type_name("NAME");
  command
      .add_option(
          "--precision", options.precision,
          "Operands of matrix products: bf16 or int8 on a device, fp32 on cpu (default: fp32 "
          "on cpu, bf16 elsewhere)")
      ->check(parses_by(parse_data_type))
      ->type_name("TYPE");
  count("--epochs", options.epochs, "Passes over the training data");
  count("--steps-per-epoch", options.steps_per_epoch,
        "Stop each epoch after this many batches (default: all)");
  count(
      "--steps-per-execution", options.steps_per_execution,
      "Training steps of a launch, at most; callbacks and the progress bar see the model after it");
  command.add_option("--optimizer", options.optimizer, kOptimizers)
      ->type_name("NAME")
      ->capture_default_str();
  command
      .add_option("--learning-rate", options.learning_rate,
                  "Learning rate (default: adam 0.001, sgd 0.05)")
      ->check(above_zero)
      ->type_name("RATE");
  command
      .add_option("--schedule", options.schedule,
                  "Schedule of the learning rate: " + nn::schedule_forms())
      ->check(parses_by(nn::parse_schedule))
      ->type_name("SPEC")
      ->capture_default_str();
  command
      .add_option("--clip-norm", options.clip_norm,
                  "Scale a step's gradients down to this global norm (default: no limit)")
      ->check(above_zero)
      ->type_name("NORM");
  command
      .add_option("--dropout", options.dropout,
                  "Dropout rate before the last layer (default: the model's, or 0)")
      ->check(takes_number<float>("a number from 0 to below 1",
                                  [](float share) { return share >= 0 && share < 1; }))
      ->type_name("RATE");
  count("--context", options.context, "Characters of a sample of text (default: the model's)");
  count("--test-samples", options.test_samples,
        "Evaluate on the first COUNT test samples only (default: all)");
  command
      .add_option("--data-dir", options.data_dir,
                  "Folder of the data files (default: $SYSTOLE_DATA_DIR, data/, the user's cache, "
                  "Debian's package)")
      ->type_name("DIR");
}

TrainingChoice choose_training(const TrainingOptions& options) {
  TrainingChoice choice;
  try {
    choice.model = nn::find_model(options.model, options.dropout, options.context);
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("{}, {}", error.what(), kTranslationModel));
  }
  const auto& datasets = choice.model.datasets;
  choice.dataset = options.dataset.empty() ? datasets.front() : options.dataset;
  if (std::ranges::find(datasets, choice.dataset) == datasets.end()) {
    throw UsageError(fmt::format("unknown dataset '{}' for {}: choose from {}", choice.dataset,
                                 options.model, fmt::join(datasets, ", ")));
  }
  if (options.optimizer == "adam") {
    nn::Adam adam = choice.model.adam;
    adam.learning_rate = options.learning_rate.value_or(adam.learning_rate);
    choice.optimizer = adam;
  } else if (options.optimizer == "adamw") {
    choice.optimizer = nn::adam_w(options.learning_rate.value_or(choice.model.adam.learning_rate));
  } else if (options.optimizer == "sgd") {
    nn::Sgd sgd = choice.model.sgd;
    sgd.learning_rate = options.learning_rate.value_or(sgd.learning_rate);
    choice.optimizer = sgd;
  } else {
    throw UsageError(
        fmt::format("unknown optimizer '{}': choose from adam, adamw, sgd", options.optimizer));
  }
  choice.schedule = nn::parse_schedule(options.schedule);
  choice.clip_norm = options.clip_norm;
  return choice;
}

std::string describe_updates(const TrainingChoice& choice) {
  std::string text = describe(choice.optimizer);
  if (!std::holds_alternative<nn::ConstantRate>(choice.schedule)) {
    text += ", " + describe(choice.schedule);
  }
  if (choice.clip_norm) text += fmt::format(", gradients clipped to {}", *choice.clip_norm);
  return text;
}

DataType choose_precision(const TrainingOptions& options, const Device& device) {
  if (options.precision.empty()) return nn::default_precision(device);
  const auto parse = [&] {
    const DataType precision = parse_data_type(options.precision);
    nn::need_precision(device, precision);
    return precision;
  };
  return as_usage(parse, fmt::format("--precision {}: ", options.precision));
}

}  // namespace systole
