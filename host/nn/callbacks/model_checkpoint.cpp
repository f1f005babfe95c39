#include "host/nn/callbacks/model_checkpoint.h"

#include <fmt/format.h>

#include <stdexcept>

#include "host/data/atomic_file.h"

namespace systole::nn {

ModelCheckpoint::ModelCheckpoint(ModelCheckpointOptions options) : options_(std::move(options)) {
  if (options_.path.empty()) throw std::invalid_argument("ModelCheckpoint needs a path");
  if (options_.every_steps && *options_.every_steps < 1) {
    throw std::invalid_argument(
        fmt::format("ModelCheckpoint: every_steps is {}, not >= 1", *options_.every_steps));
  }
  if (options_.every_steps && options_.save_best_only) {
    throw std::invalid_argument(
        "ModelCheckpoint: save_best_only needs whole epochs: omit every_steps");
  }
}

void ModelCheckpoint::on_train_begin(FitState& state) {
  if (options_.save_best_only) need_figure("ModelCheckpoint", options_.monitor, state);
  if (state.options.resume == nullptr) best_.reset();
  saved_steps_ = state.steps_done();
  saved_epochs_ = state.history.epochs.size();
  need_writable(options_.path);
}

void ModelCheckpoint::on_step_end(FitState& state) {
  if (options_.every_steps && state.steps_done() % *options_.every_steps == 0) save_file(state);
}

void ModelCheckpoint::on_epoch_end(FitState& state) {
  if (options_.save_best_only) {
    const auto value = figure(state.history.epochs.back(), options_.monitor);
    if (!value || (best_ && !is_better(options_.monitor, *value, *best_))) return;
    best_ = value;
  }
  save_file(state);
}

void ModelCheckpoint::on_train_end(FitState& state) {
  const bool is_saved =
      saved_steps_ == state.steps_done() && saved_epochs_ == state.history.epochs.size();
  if (!options_.save_best_only && !is_saved) save_file(state);
}

std::string ModelCheckpoint::key() const {
  return fmt::format("model_checkpoint.best_{}", options_.monitor);
}

void ModelCheckpoint::save(Checkpoint& checkpoint) const {
  if (best_) checkpoint.set(key(), *best_);
}

void ModelCheckpoint::load(const Checkpoint& checkpoint) {
  best_.reset();
  if (options_.save_best_only && checkpoint.has(key())) best_ = checkpoint.number(key());
}

void ModelCheckpoint::save_file(const FitState& state) {
  state.checkpoint().save(options_.path);
  saved_steps_ = state.steps_done();
  saved_epochs_ = state.history.epochs.size();
}

}  // namespace systole::nn
