#include "host/cli/fit_options.h"

#include <fmt/format.h>

#include <stdexcept>

#include "host/cli/device_options.h"
#include "host/cli/file_options.h"
#include "host/cli/interrupt.h"
#include "host/cli/usage_error.h"
#include "host/data/normalize.h"
#include "host/nn/callbacks/csv_logger.h"
#include "host/nn/callbacks/early_stopping.h"
#include "host/nn/callbacks/model_checkpoint.h"

namespace systole {
namespace {

constexpr const char* kGroup = "Watching and saving";

void check_together(const FitSettings& settings) {
  const auto need = [](bool wrong, const char* what) {
    if (wrong) throw UsageError(what);
  };
  need(settings.checkpoint_every && settings.checkpoint.empty(),
       "--checkpoint-every says how often, but no --checkpoint where");
  need(!settings.patience && settings.restore_best,
       "--restore-best belongs to --early-stopping; --save-best keeps the best weights in a file");
  need(!settings.patience && settings.min_delta != 0, "--min-delta belongs to --early-stopping");
  as_usage([&] { return nn::figure({}, settings.monitor); }, "--monitor: ");
}

}  // namespace

void add_fit_options(CLI::App& command, FitSettings& settings) {
  const auto count = [&](const char* name, auto& value, const char* help) {
    add_count(command, name, value, help)->group(kGroup);
  };
  const auto file = [&](const char* name, std::string& value, const char* help) {
    return command.add_option(name, value, help)->type_name("FILE")->group(kGroup);
  };
  count("--validation-freq", settings.validation_freq,
        "Evaluate on the test data every COUNT epochs (default: at the end)");
  count("--early-stopping", settings.patience,
        "Stop when the monitored figure has not improved for COUNT epochs");
  command
      .add_option("--monitor", settings.monitor,
                  "Figure to monitor: loss, accuracy, val_loss, val_accuracy")
      ->type_name("FIGURE")
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--min-delta", settings.min_delta,
                  "Smallest change that counts as an improvement")
      ->check(
          takes_number<double>("a number of 0 or more", [](double delta) { return delta >= 0; }))
      ->type_name("AMOUNT")
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_flag("--restore-best", settings.restore_best,
                "Keep the weights of the best epoch, not the last")
      ->group(kGroup);
  writes_file(file("--csv", settings.csv, "Write one line of figures per epoch"));
  writes_file(file("--checkpoint", settings.checkpoint,
                   "Save the training state after each epoch, and on interruption"));
  count("--checkpoint-every", settings.checkpoint_every, "Also save after every COUNT steps");
  reads_file(file("--resume", settings.resume,
                  "Resume from a checkpoint, with the bits of an uninterrupted run"));
  writes_file(
      file("--save-best", settings.save_best, "Save the best epoch, by the monitored figure"));
  command
      .add_option("--normalize", settings.normalize,
                  "Inputs: scale (0 to 1), or standard (mean 0, deviation 1 in each channel)")
      ->type_name("HOW")
      ->check(CLI::IsMember({"scale", "standard"}))
      ->capture_default_str()
      ->group("Data");
  command
      .add_option("--augment", settings.augment,
                  "Augment images while training: flip, crop, or flip,crop")
      ->type_name("HOW")
      ->group("Data");
}

nn::Augmentation choose_augmentation(const FitSettings& settings) {
  constexpr std::int64_t kCropPadding = 4;
  nn::Augmentation augmentation;
  std::string_view rest = settings.augment;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    if (word == "flip") {
      augmentation.flip = true;
    } else if (word == "crop") {
      augmentation.crop_padding = kCropPadding;
    } else {
      throw UsageError(fmt::format("--augment: unknown word '{}': choose from flip, crop", word));
    }
  }
  return augmentation;
}

void need_no_images(const FitSettings& settings) {
  if (!settings.augment.empty()) throw UsageError("--augment changes images; this model has none");
  if (settings.normalize != "scale") {
    throw UsageError("--normalize changes images; this model has none");
  }
}

void normalize(SplitDataset& data, const FitSettings& settings) {
  if (settings.normalize != "standard") return;
  const ChannelStatistics statistics = channel_statistics(data.train);
  standardize(data.train, statistics);
  standardize(data.test, statistics);
}

FitSetup::FitSetup(const FitSettings& settings) : validation_freq_(settings.validation_freq) {
  check_together(settings);
  if (!settings.resume.empty()) resume_ = nn::Checkpoint::load(settings.resume);
  const bool watches = settings.patience || !settings.save_best.empty();
  if (watches && settings.monitor.starts_with("val_") && !validation_freq_) validation_freq_ = 1;
  if (settings.patience) {
    callbacks_.push_back(std::make_unique<nn::EarlyStopping>(
        nn::EarlyStoppingOptions{.monitor = settings.monitor,
                                 .patience = *settings.patience,
                                 .min_delta = settings.min_delta,
                                 .restore_best_weights = settings.restore_best}));
  }
  if (!settings.csv.empty()) callbacks_.push_back(std::make_unique<nn::CsvLogger>(settings.csv));
  if (!settings.save_best.empty()) {
    callbacks_.push_back(std::make_unique<nn::ModelCheckpoint>(nn::ModelCheckpointOptions{
        .path = settings.save_best, .save_best_only = true, .monitor = settings.monitor}));
  }
  if (!settings.checkpoint.empty()) {
    callbacks_.push_back(std::make_unique<nn::ModelCheckpoint>(nn::ModelCheckpointOptions{
        .path = settings.checkpoint, .every_steps = settings.checkpoint_every}));
    callbacks_.push_back(std::make_unique<StopOnSignal>(settings.checkpoint));
  }
}

void FitSetup::apply(TrainingPlan& plan) const {
  plan.validation_freq = validation_freq_;
  plan.resume = resume_ ? &*resume_ : nullptr;
  for (const auto& callback : callbacks_) plan.callbacks.push_back(callback.get());
}

}  // namespace systole
