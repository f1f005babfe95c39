#include "host/nn/sequential.h"

#include <fmt/format.h>

#include <stdexcept>

#include "host/nn/flush_subnormals.h"

namespace systole::nn {

Sequential::Sequential(std::initializer_list<LayerSpec> layers)
    : Sequential(std::vector<LayerSpec>(layers)) {}

Sequential::Sequential(const std::vector<LayerSpec>& layers) {
  if (layers.empty()) throw std::invalid_argument("Sequential needs at least one layer");
  for (const LayerSpec& spec : layers) stages_.push_back({.layer = spec.make()});
}

void Sequential::compile(const CompileOptions& options) {
  std::visit([](const auto& optimizer) { optimizer.check(); }, options.optimizer);
  const bool on_cpu = options.device.info().name == "cpu";
  multiplier_ = std::make_unique<Multiplier>(
      options.device, options.precision.value_or(on_cpu ? DataType::kFp32 : DataType::kBf16));
  options_ = options;
  updates_ = 0;
  input_shape_.clear();
  if (!options.input_shape.empty()) build(options.input_shape);
}

void Sequential::build(const Shape& input_shape) {
  Shape shape = input_shape;
  first_trained_ = stages_.size();
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    Generator generator(compiled().seed, i);
    shape = stages_[i].layer->build(shape, generator);
    stages_[i].output_shape = shape;
    const bool trained = !stages_[i].layer->parameters().empty();
    if (trained && first_trained_ == stages_.size()) first_trained_ = i;
  }
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

const Tensor& Sequential::forward(const Tensor& inputs, bool training) {
  const Pass pass{.multiplier = *multiplier_, .training = training, .step = updates_};
  const Tensor* current = &inputs;
  for (Stage& stage : stages_) {
    stage.layer->forward(pass, *current, stage.output);
    current = &stage.output;
  }
  return *current;
}

void Sequential::backward(const Tensor& inputs) {
  const Pass pass{.multiplier = *multiplier_, .training = true, .step = updates_};
  for (std::size_t i = stages_.size(); i-- > first_trained_;) {
    const Tensor& input = i == 0 ? inputs : stages_[i - 1].output;
    Tensor* d_input = i > first_trained_ ? &stages_[i - 1].d_output : nullptr;
    stages_[i].layer->backward(pass, input, stages_[i].output, stages_[i].d_output, d_input);
  }
}

Score Sequential::compute_gradients(const Tensor& inputs, std::span<const std::int32_t> labels) {
  need_inputs(inputs);
  const FlushSubnormals flush;
  const Tensor& logits = forward(inputs, true);
  const Score score = compiled().loss.evaluate(logits, labels, &stages_.back().d_output);
  backward(inputs);
  return score;
}

Score Sequential::train_batch(const Tensor& inputs, std::span<const std::int32_t> labels) {
  const Score score = compute_gradients(inputs, labels);
  const FlushSubnormals flush;
  ++updates_;
  for (Parameter* parameter : parameters()) {
    if (!parameter->trained) continue;
    std::visit([&](const auto& optimizer) { optimizer.update(*parameter, updates_); },
               compiled().optimizer);
  }
  return score;
}

Tensor Sequential::predict(const Tensor& inputs) {
  need_inputs(inputs);
  const FlushSubnormals flush;
  return forward(inputs, false);
}

double Sequential::device_wall_seconds() const {
  return multiplier_ ? multiplier_->device_wall_seconds() : 0.0;
}

std::vector<Parameter*> Sequential::parameters() const {
  std::vector<Parameter*> all;
  for (const Stage& stage : stages_) {
    for (Parameter& parameter : stage.layer->parameters()) all.push_back(&parameter);
  }
  return all;
}

}  // namespace systole::nn
