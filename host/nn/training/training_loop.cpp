#include "host/nn/training/training_loop.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <stdexcept>

#include "host/nn/training/callback.h"
#include "host/nn/training/training_state.h"

namespace systole::nn {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void need_at_least(std::int64_t least, const char* what, std::int64_t value) {
  if (value < least) {
    throw std::invalid_argument(fmt::format("{} is {}, not >= {}", what, value, least));
  }
}

std::int64_t steps_of(const FitOptions& options, std::int64_t batches) {
  const std::int64_t steps = options.steps_per_epoch.value_or(batches);
  need_at_least(1, "steps_per_epoch", steps);
  if (steps > batches) {
    throw std::invalid_argument(
        fmt::format("steps_per_epoch is {}, but an epoch has {} batches of {}", steps, batches,
                    options.batch_size));
  }
  return steps;
}

class Loop {
 public:
  Loop(Trainable& model, const FitOptions& options)
      : model_(model), options_(options), state_{.model = model, .options = options} {}

  History run() {
    need_at_least(1, "epochs", options_.epochs);
    need_at_least(1, "validation_freq", options_.validation_freq);
    need_at_least(0, "initial_epoch", options_.initial_epoch);
    Progress& progress = state_.progress;
    progress.epochs = options_.epochs;
    progress.steps = steps_of(options_, model_.batches());
    progress.epoch = options_.initial_epoch + 1;
    if (options_.resume != nullptr) {
      restore_training(*options_.resume, state_);
      for (Callback* callback : options_.callbacks) callback->load(*options_.resume);
    }
    tell(&Callback::on_train_begin);
    while (!is_stopped() && progress.epoch <= options_.epochs && run_epoch()) begin_next();
    tell(&Callback::on_train_end);
    return std::move(state_.history);
  }

 private:
  void tell(void (Callback::*event)(FitState&)) {
    for (Callback* callback : options_.callbacks) (callback->*event)(state_);
  }
  bool is_stopped() const { return !state_.history.stopped.empty(); }

  /// Whether the epoch ran to its end.
  bool run_epoch() {
    Progress& progress = state_.progress;
    state_.first_step = progress.step;
    const double seconds_before = progress.seconds;
    tell(&Callback::on_epoch_begin);
    const auto start = Clock::now();
    model_.begin_epoch(progress.epoch, progress.step, progress.steps);
    while (progress.step < progress.steps) {
      run_steps();
      progress.seconds = seconds_before + seconds_since(start);
      if (options_.on_step) options_.on_step(progress);
      tell(&Callback::on_step_end);
      if (is_stopped()) return false;
    }
    finish_epoch();
    return true;
  }

  std::vector<Trainable::Step> train_some() {
    try {
      const auto steps = model_.train_some(state_.progress.steps - state_.progress.step);
      for (const Trainable::Step& step : steps) {
        if (std::isfinite(step.score.loss)) continue;
        throw TrainingError(fmt::format("the loss is {}",
                                        std::isnan(step.score.loss) ? "not a number" : "infinite"));
      }
      return steps;
    } catch (const TrainingError& error) {
      throw TrainingError(
          fmt::format("{}, at epoch {}, step {}: lower the learning rate or check the data",
                      error.what(), state_.progress.epoch, state_.progress.step + 1));
    }
  }

  void run_steps() {
    const auto start = Clock::now();
    const std::vector<Trainable::Step> steps = train_some();
    const double seconds = seconds_since(start) / static_cast<double>(steps.size());
    state_.progress.together = std::ssize(steps);
    for (const Trainable::Step& step : steps) count(step, seconds);
  }

  void count(const Trainable::Step& step, double seconds) {
    Progress& progress = state_.progress;
    const double loss = step.score.loss;
    state_.history.losses.push_back(loss);
    state_.history.step_seconds.push_back(seconds);
    state_.history.input_seconds.push_back(step.input_seconds);
    EpochSums& sums = state_.sums;
    sums.samples += step.samples;
    sums.loss += loss * static_cast<double>(step.samples);
    sums.accuracy += step.score.accuracy * static_cast<double>(step.samples);
    ++progress.step;
    progress.loss = sums.loss / static_cast<double>(sums.samples);
    progress.accuracy = sums.accuracy / static_cast<double>(sums.samples);
    progress.step_loss = loss;
  }

  void finish_epoch() {
    const Progress& progress = state_.progress;
    History::Epoch epoch{.loss = progress.loss,
                         .accuracy = progress.accuracy,
                         .seconds = progress.seconds,
                         .learning_rate = model_.step_rate()};
    if (model_.can_validate() && progress.epoch % options_.validation_freq == 0) {
      tell(&Callback::on_test_begin);
      epoch.validation = model_.validate();
      tell(&Callback::on_test_end);
    }
    state_.history.epochs.push_back(epoch);
    state_.epoch_is_finished = true;
    tell(&Callback::on_epoch_end);
  }

  void begin_next() {
    Progress& progress = state_.progress;
    progress = {.epoch = progress.epoch + 1, .epochs = progress.epochs, .steps = progress.steps};
    state_.sums = {};
    state_.epoch_is_finished = false;
  }

  Trainable& model_;
  const FitOptions& options_;
  FitState state_;
};

}  // namespace

History train(Trainable& model, const FitOptions& options) { return Loop(model, options).run(); }

}  // namespace systole::nn
