#include "host/nn/training/sequential.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "host/nn/training/not_finite.h"

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
  const bool on_cpu = strategy.device(0).info().name == "cpu";
  replicas_.open(strategy, options.precision.value_or(on_cpu ? DataType::kFp32 : DataType::kBf16),
                 options.seed);
  options_ = options;
  whole_steps_.reset();
  updates_ = 0;
  updates_of_.reset();
  input_shape_.clear();
  if (!options.input_shape.empty()) build(options.input_shape);
}

void Sequential::build(const Shape& input_shape) {
  replicas_.build(input_shape, compiled().seed);
  input_shape_ = input_shape;
  if (compiled().steps_per_execution) open_whole_steps();
}

void Sequential::open_whole_steps() {
  const Strategy& strategy = replicas_.strategy();
  if (strategy.cores() > 1) return replicas_.run_gradients_whole(compiled().loss);
  Replica& replica = replicas_.only();
  auto whole_steps = std::make_shared<CompiledTraining>(
      strategy.device(0),
      CompiledTraining::Options{
          .write =
              [&replica, options = compiled()](std::int64_t rows) {
                return replica.training_graph(rows, options.loss, options.optimizer,
                                              options.clip_norm);
              },
          .parameters = {replica.parameters().begin(), replica.parameters().end()},
          .precision = replica.multiplier().precision(),
          .steps = *compiled().steps_per_execution,
          .seed = compiled().seed});
  whole_steps->need_lowered(1);
  whole_steps_ = std::move(whole_steps);
}

std::vector<Score> Sequential::run_whole_steps() {
  const Device& device = replicas_.strategy().device(0);
  const std::uint64_t before = device.counters().cycles();
  const std::vector<Score> scores = whole_steps_->run();
  replicas_.count_steps(std::ssize(scores), device.counters().cycles() - before,
                        whole_steps_->fed_bytes());
  replicas_.master().multiplier().count({}, whole_steps_->device_seconds());
  return scores;
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

const Tensor& Sequential::forward(const Tensor& inputs) {
  if (whole_steps_) whole_steps_->read_back();
  return replicas_.forward(inputs);
}

Score Sequential::compute_gradients(const Tensor& inputs, std::span<const std::int32_t> labels) {
  need_inputs(inputs);
  if (whole_steps_) whole_steps_->read_back();
  return replicas_.gradients(inputs, labels, compiled().loss, updates_);
}

Score Sequential::train_batch(const Tensor& inputs, std::span<const std::int32_t> labels) {
  if (whole_steps_) {
    need_inputs(inputs);
    whole_steps_->need_program(inputs.rows);
    add_whole_step(prepare_step(inputs, labels, updates_ + 1, learning_rate()));
    const Score score = run_whole_steps()[0];
    if (!std::isfinite(score.loss)) throw TrainingError("the loss is not finite");
    return score;
  }
  const Score score = compute_gradients(inputs, labels);
  need_finite(score, inputs, labels);
  update();
  return score;
}

void Sequential::need_finite(const Score& score, const Tensor& inputs,
                             std::span<const std::int32_t> labels) {
  const bool finite = std::isfinite(score.loss) &&
                      std::ranges::all_of(parameters(), [](const Parameter* parameter) {
                        return all_finite(parameter->gradient);
                      });
  if (finite) return;
  const char* loss = std::isnan(score.loss)   ? "not a number"
                     : std::isinf(score.loss) ? "infinite"
                                              : "finite";
  const std::string place = replicas_.first_not_finite(inputs, labels, compiled().loss, updates_);
  throw TrainingError(fmt::format("the loss is {}{}{}", loss, place.empty() ? "" : ", ", place));
}

CompiledTraining::Prepared Sequential::prepare_step(const Tensor& inputs,
                                                    std::span<const std::int32_t> labels,
                                                    std::int64_t update,
                                                    float learning_rate) const {
  need_labels(labels, inputs.rows, size_of(stages().back().output_shape));
  const CompiledTraining::Input batch[] = {{"x", inputs.values.data(), std::ssize(inputs.values)},
                                           {"labels", labels.data(), std::ssize(labels)}};
  const float rate = scheduled(learning_rate, compiled().schedule, update - 1);
  return whole_steps_->prepare(inputs.rows, batch, {.update = update, .rate = rate});
}

void Sequential::add_whole_step(CompiledTraining::Prepared batch) {
  whole_steps_->add(std::move(batch), scheduled(learning_rate(), compiled().schedule, updates_));
  ++updates_;
}

void Sequential::update() {
  const float rate = scheduled(learning_rate(), compiled().schedule, updates_);
  updates_of_.run(parameters(), compiled().optimizer, compiled().clip_norm, rate, ++updates_,
                  replicas_.strategy().device(0).info().threads);
}

Tensor Sequential::predict(const Tensor& inputs) {
  need_inputs(inputs);
  return forward(inputs);
}

double Sequential::device_wall_seconds() const { return replicas_.device_wall_seconds(); }

std::vector<Parameter*> Sequential::parameters() const {
  if (whole_steps_) whole_steps_->read_back();
  const auto all = replicas_.master().parameters();
  return {all.begin(), all.end()};
}

}  // namespace systole::nn
