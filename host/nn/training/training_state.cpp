#include "host/nn/training/training_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/nn/training/training_loop.h"

namespace systole::nn {
namespace {

constexpr const char* kFormat = "3";

// Epochs as rows of these columns; NaN where an epoch was not validated.
constexpr std::size_t kEpochColumns = 6;

void save_epochs(Checkpoint& checkpoint, const std::vector<History::Epoch>& epochs) {
  std::vector<double> rows;
  for (const History::Epoch& epoch : epochs) {
    const Score none{.loss = std::nan(""), .accuracy = std::nan("")};
    const Score validation = epoch.validation.value_or(none);
    rows.insert(rows.end(), {epoch.loss, epoch.accuracy, epoch.seconds, epoch.learning_rate,
                             validation.loss, validation.accuracy});
  }
  checkpoint.set("history/epochs", rows);
}

std::vector<History::Epoch> load_epochs(const Checkpoint& checkpoint) {
  const std::vector<double> rows = checkpoint.doubles("history/epochs");
  if (rows.size() % kEpochColumns != 0) {
    throw checkpoint.error(
        fmt::format("history/epochs has {} values, not rows of {}", rows.size(), kEpochColumns));
  }
  std::vector<History::Epoch> epochs;
  for (std::size_t i = 0; i < rows.size(); i += kEpochColumns) {
    const double* row = &rows[i];
    epochs.push_back(
        {.loss = row[0], .accuracy = row[1], .seconds = row[2], .learning_rate = row[3]});
    if (!std::isnan(row[4])) {
      epochs.back().validation = Score{.loss = row[4], .accuracy = row[5]};
    }
  }
  return epochs;
}

void need_same_run(const Checkpoint& checkpoint, const FitState& state) {
  if (!checkpoint.has("systole_checkpoint")) {
    throw checkpoint.error("no training can be resumed from it: it holds weights alone");
  }
  if (checkpoint.words("systole_checkpoint") != kFormat) {
    throw checkpoint.error(fmt::format("written by another version of this program (format {})",
                                       checkpoint.words("systole_checkpoint")));
  }
  for (const auto& [key, value] : state.model.identity()) {
    const std::string saved = checkpoint.words("run." + key);
    if (saved != value) {
      throw checkpoint.error(
          fmt::format("its run has {} '{}', this one '{}'; resume with the same "
                      "options, or start again without it",
                      key, saved, value));
    }
  }
}

}  // namespace

Checkpoint FitState::checkpoint() const {
  Checkpoint checkpoint;
  checkpoint.set("systole_checkpoint", std::string(kFormat));
  for (const auto& [key, value] : model.identity()) checkpoint.set("run." + key, value);
  checkpoint.set("run.steps_per_epoch", fmt::format("{}", progress.steps));
  checkpoint.set("epoch", progress.epoch);
  checkpoint.set("step", progress.step);
  checkpoint.set("epoch_is_finished", std::int64_t{epoch_is_finished});
  checkpoint.set("epoch_loss_sum", sums.loss);
  checkpoint.set("epoch_accuracy_sum", sums.accuracy);
  checkpoint.set("epoch_samples", sums.samples);
  checkpoint.set("epoch_seconds", progress.seconds);
  checkpoint.set("updates", model.updates());
  checkpoint.set("learning_rate", double{model.learning_rate()});
  checkpoint.set("history/losses", history.losses);
  save_epochs(checkpoint, history.epochs);
  save_parameters(checkpoint, model.parameters());
  for (const Callback* callback : options.callbacks) callback->save(checkpoint);
  return checkpoint;
}

void restore_training(const Checkpoint& checkpoint, FitState& state) {
  need_same_run(checkpoint, state);
  Progress progress = state.progress;
  const std::string steps = checkpoint.words("run.steps_per_epoch");
  if (steps != fmt::format("{}", progress.steps)) {
    throw checkpoint.error(
        fmt::format("its epochs have {} steps, this run's {}; resume with the "
                    "same options, or start again without it",
                    steps, progress.steps));
  }
  progress.epoch = checkpoint.integer("epoch");
  progress.step = checkpoint.integer("step");
  EpochSums sums{.loss = checkpoint.number("epoch_loss_sum"),
                 .accuracy = checkpoint.number("epoch_accuracy_sum"),
                 .samples = checkpoint.integer("epoch_samples")};
  if (progress.epoch < 1 || progress.step > progress.steps ||
      (progress.step > 0) != (sums.samples > 0)) {
    throw checkpoint.error(
        fmt::format("epoch {}, step {}, {} samples: there is no such place in a "
                    "run; start again without it",
                    progress.epoch, progress.step, sums.samples));
  }
  if (checkpoint.integer("epoch_is_finished") != 0) {
    progress = {.epoch = progress.epoch + 1, .epochs = progress.epochs, .steps = progress.steps};
    sums = {};
  } else if (progress.step > 0) {
    progress.loss = sums.loss / static_cast<double>(sums.samples);
    progress.accuracy = sums.accuracy / static_cast<double>(sums.samples);
    progress.seconds = checkpoint.number("epoch_seconds");
  }
  if (progress.epoch > progress.epochs) {
    throw checkpoint.error(
        fmt::format("all {} epochs are done already; ask for more epochs", progress.epochs));
  }
  const std::int64_t updates = checkpoint.integer("updates");
  const auto rate = static_cast<float>(checkpoint.number("learning_rate"));
  if (!(rate > 0) || !std::isfinite(rate)) {
    throw checkpoint.error(fmt::format("its learning rate is {}", rate));
  }
  History history;
  history.losses = checkpoint.doubles("history/losses");
  history.epochs = load_epochs(checkpoint);
  restore_parameters(checkpoint, state.model.parameters());  // last, since it can fail
  state.progress = progress;
  state.sums = sums;
  state.history = std::move(history);
  state.model.set_updates(updates);
  state.model.set_learning_rate(rate);
}

}  // namespace systole::nn
