#include "host/nn/training/sequential.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace systole::nn {

Sequential::Sequential(std::initializer_list<Layer> layers)
    : Sequential(std::vector<Layer>(layers)) {}

Sequential::Sequential(const std::vector<Layer>& layers) : replicas_(layers) {
  if (layers.empty()) throw std::invalid_argument("Sequential needs at least one layer");
  if (const Strategy* strategy = Strategy::current()) scope_ = *strategy;
}

void Sequential::compile(const CompileOptions& options) {
  std::visit([](const auto& optimizer) { optimizer.check(); }, options.optimizer);
  std::visit([](const auto& loss) { loss.check(); }, options.loss);
  check(options.schedule);
  if (options.clip_norm && !(*options.clip_norm > 0)) {
    throw std::invalid_argument(fmt::format("clip_norm {} is not > 0", *options.clip_norm));
  }
  if (scope_.has_value() == options.device.has_value()) {
    throw std::invalid_argument(
        scope_ ? "the model was made in a strategy's scope, which has its devices: compile it "
                 "without one"
               : "compile needs a device, or a model that was made in a strategy's scope");
  }
  const Strategy strategy = scope_ ? *scope_ : Strategy(system_of(*options.device));
  const Device& device = strategy.device(0);
  replicas_.open(strategy, {.device = device,
                            .precision = options.precision.value_or(default_precision(device)),
                            .loss = options.loss,
                            .optimizer = options.optimizer,
                            .clip_norm = options.clip_norm,
                            .steps = options.steps_per_execution,
                            .rounding_seed = options.seed});
  options_ = options;
  updates_ = 0;
  input_shape_.clear();
  if (!options.input_shape.empty()) build(options.input_shape);
}

void Sequential::build(const Shape& input_shape) {
  replicas_.build(input_shape, compiled().seed);
  input_shape_ = input_shape;
}

const CompileOptions& Sequential::compiled() const {
  if (!options_) throw std::invalid_argument("call compile before training or using a model");
  return *options_;
}

void Sequential::need_built(const Shape& sample_shape) {
  compiled();
  if (input_shape_.empty()) build(sample_shape);
  if (sample_shape != input_shape_) {
    throw std::invalid_argument(fmt::format("the model was built for samples of {}, not {}",
                                            to_string(input_shape_), to_string(sample_shape)));
  }
}

void Sequential::need_inputs(const Tensor& inputs) const {
  compiled();
  if (input_shape_.empty()) {
    throw std::invalid_argument("the input's shape is not known: give compile an input_shape");
  }
  if (inputs.row_size != size_of(input_shape_) || inputs.rows < 1) {
    throw std::invalid_argument(
        fmt::format("the model takes samples of {} values, at least one; "
                    "this batch is {} x {}",
                    size_of(input_shape_), inputs.rows, inputs.row_size));
  }
}

Score Sequential::compute_gradients(const Tensor& inputs, std::span<const std::int32_t> labels) {
  need_inputs(inputs);
  return replicas_.gradients(inputs, labels, scalars(updates_ + 1, learning_rate()));
}

Score Sequential::train_batch(const Tensor& inputs, std::span<const std::int32_t> labels) {
  need_inputs(inputs);
  const std::int64_t update = updates_ + 1;
  replicas_.need_programs(inputs.rows);
  add_step(replicas_.in_step_with_ranks(
      [&] { return replicas_.prepare(inputs, labels, scalars(update, learning_rate())); }));
  const Score score = replicas_.run().front();
  need_finite(score, inputs, labels, update);
  return score;
}

void Sequential::need_finite(const Score& score, const Tensor& inputs,
                             std::span<const std::int32_t> labels, std::int64_t update) {
  if (std::isfinite(score.loss)) return;
  const std::string place =
      replicas_.first_not_finite(inputs, labels, scalars(update, learning_rate()));
  throw TrainingError(fmt::format("the loss is {}{}{}",
                                  std::isnan(score.loss) ? "not a number" : "infinite",
                                  place.empty() ? "" : ", ", place));
}

StepScalars Sequential::scalars(std::int64_t update, float learning_rate) const {
  return {.rate = scheduled(learning_rate, compiled().schedule, update - 1), .update = update};
}

void Sequential::add_step(Replicas::Prepared batch) {
  replicas_.add(std::move(batch), scalars(++updates_, learning_rate()).rate);
}

Tensor Sequential::predict(const Tensor& inputs) {
  need_inputs(inputs);
  return replicas_.forward(inputs);
}

double Sequential::device_wall_seconds() const { return replicas_.device_wall_seconds(); }

std::vector<Parameter*> Sequential::parameters() const {
  replicas_.read_back();
  const auto all = replicas_.master().parameters();
  return {all.begin(), all.end()};
}

}  // namespace systole::nn
