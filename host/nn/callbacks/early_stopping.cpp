#include "host/nn/callbacks/early_stopping.h"

#include <fmt/format.h>

#include <stdexcept>

#include "host/nn/training/training_loop.h"

namespace systole::nn {
namespace {

const std::string kWeights = "early_stopping/";

}  // namespace

EarlyStopping::EarlyStopping(EarlyStoppingOptions options) : options_(std::move(options)) {
  figure({}, options_.monitor);
  if (options_.patience < 1) {
    throw std::invalid_argument(
        fmt::format("EarlyStopping: patience is {}, not >= 1", options_.patience));
  }
  if (!(options_.min_delta >= 0)) {
    throw std::invalid_argument(
        fmt::format("EarlyStopping: min_delta is {}, not >= 0", options_.min_delta));
  }
}

void EarlyStopping::on_train_begin(FitState& state) {
  need_figure("EarlyStopping", options_.monitor, state);
  if (state.options.resume == nullptr) {
    best_epoch_ = waited_ = 0;
    weights_.clear();
  }
  names_.clear();
  shapes_.clear();
  for (const Parameter* parameter : state.model.parameters()) {
    names_.push_back(parameter->name);
    shapes_.push_back(parameter->shape);
  }
  if (state.options.resume != nullptr && options_.restore_best_weights && best_epoch_ > 0) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      weights_.push_back(state.options.resume->floats(kWeights + names_[i], shapes_[i]));
    }
  }
  stop_if_patience_ends(state);  // the run may have stopped before the checkpoint was written
}

void EarlyStopping::on_epoch_end(FitState& state) {
  const auto value = figure(state.history.epochs.back(), options_.monitor);
  if (!value) return;
  if (best_epoch_ == 0 || is_better(options_.monitor, *value, best_, options_.min_delta)) {
    best_ = *value;
    best_epoch_ = state.progress.epoch;
    waited_ = 0;
    if (!options_.restore_best_weights) return;
    weights_.clear();
    for (const Parameter* parameter : state.model.parameters()) {
      weights_.push_back(parameter->value);
    }
  } else {
    ++waited_;
    stop_if_patience_ends(state);
  }
}

void EarlyStopping::stop_if_patience_ends(FitState& state) const {
  if (waited_ < options_.patience) return;
  state.stop(fmt::format("{} was best in epoch {} ({:.4f}), {} epoch{} before the last",
                         options_.monitor, best_epoch_, best_, waited_, waited_ == 1 ? "" : "s"));
}

void EarlyStopping::on_train_end(FitState& state) {
  if (!options_.restore_best_weights || weights_.empty()) return;
  const auto parameters = state.model.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    parameters[i]->value = weights_[i];
    ++parameters[i]->version;
  }
}

void EarlyStopping::save(Checkpoint& checkpoint) const {
  checkpoint.set("early_stopping.monitor", options_.monitor);
  checkpoint.set("early_stopping.best", best_);
  checkpoint.set("early_stopping.best_epoch", best_epoch_);
  checkpoint.set("early_stopping.waited", waited_);
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    checkpoint.set(kWeights + names_[i], shapes_[i], weights_[i]);
  }
}

void EarlyStopping::load(const Checkpoint& checkpoint) {
  weights_.clear();
  best_epoch_ = waited_ = 0;
  // A run without early stopping may be resumed with it; counting then starts here.
  if (!checkpoint.has("early_stopping.monitor")) return;
  if (checkpoint.words("early_stopping.monitor") != options_.monitor) {
    throw checkpoint.error(fmt::format("its run monitored {}, this one {}; monitor the same figure",
                                       checkpoint.words("early_stopping.monitor"),
                                       options_.monitor));
  }
  best_ = checkpoint.number("early_stopping.best");
  best_epoch_ = checkpoint.integer("early_stopping.best_epoch");
  waited_ = checkpoint.integer("early_stopping.waited");
}

}  // namespace systole::nn
