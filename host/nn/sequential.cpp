#include "host/nn/sequential.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "host/nn/flush_subnormals.h"

namespace systole::nn {
namespace {

// The gradient before a ReLU, from what is behind it.
void mask_gradient(const Tensor& output, Tensor& d_output) {
  for (std::size_t i = 0; i < d_output.values.size(); ++i) {
    if (!(output.values[i] > 0.0f)) d_output.values[i] = 0.0f;
  }
}

}  // namespace

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
      options.device, options.precision.value_or(on_cpu ? DataType::kFp32 : DataType::kBf16),
      options.seed);
  options_ = options;
  updates_ = 0;
  input_shape_.clear();
  if (!options.input_shape.empty()) build(options.input_shape);
}

void Sequential::build(const Shape& input_shape) {
  Shape shape = input_shape;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    Stage& stage = stages_[i];
    Generator generator(compiled().seed, i);
    shape = stage.layer->build(shape, generator);
    stage = {.layer = std::move(stage.layer), .output_shape = shape};
  }
  plan_passes();
  input_shape_ = input_shape;
}

void Sequential::plan_passes() {
  run_.clear();
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const Execution execution = stages_[i].layer->execution();
    if (execution == Execution::kView) continue;
    if (execution == Execution::kRelu && !run_.empty() && is_on_device(run_.size() - 1)) {
      stages_[run_.back()].relu = true;
      continue;
    }
    run_.push_back(i);
    stages_[i].relu = is_on_device(run_.size() - 1) && execution == Execution::kDeviceRelu;
  }
  if (run_.empty()) run_.push_back(stages_.size() - 1);
  const auto trained = std::ranges::find_if(
      run_, [&](std::size_t i) { return !stages_[i].layer->parameters().empty(); });
  first_trained_ = static_cast<std::size_t>(trained - run_.begin());
}

bool Sequential::is_on_device(std::size_t place) const {
  if (place >= run_.size() || !multiplier_->keeps_tensors()) return false;
  const Execution execution = stages_[run_[place]].layer->execution();
  return execution == Execution::kDevice || execution == Execution::kDeviceRelu;
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
  const Tensor* current = &inputs;
  for (std::size_t place = 0; place < run_.size(); ++place) {
    Stage& stage = stages_[run_[place]];
    const Pass pass{.multiplier = *multiplier_,
                    .training = training,
                    .step = updates_,
                    .on_device = is_on_device(place) && is_on_device(place + 1),
                    .relu = stage.relu};
    stage.layer->forward(pass, *current, stage.output);
    current = &stage.output;
  }
  return *current;
}

// The last stage's d_output is filled in.
void Sequential::backward(const Tensor& inputs) {
  for (std::size_t place = run_.size(); place-- > first_trained_;) {
    Stage& stage = stages_[run_[place]];
    Stage* before = place == 0 ? nullptr : &stages_[run_[place - 1]];
    Tensor* d_input = place > first_trained_ ? &before->d_output : nullptr;
    const bool masks = d_input != nullptr && before->relu;
    const bool is_device = is_on_device(place);
    const Pass pass{.multiplier = *multiplier_,
                    .training = true,
                    .step = updates_,
                    .on_device = is_device && d_input != nullptr && is_on_device(place - 1),
                    .relu = stage.relu,
                    .mask = is_device && masks};
    stage.layer->backward(pass, place == 0 ? inputs : before->output, stage.output, stage.d_output,
                          d_input);
    if (masks && !pass.mask) mask_gradient(before->output, *d_input);
  }
  multiplier_->wait();
}

Score Sequential::compute_gradients(const Tensor& inputs, std::span<const std::int32_t> labels) {
  need_inputs(inputs);
  const FlushSubnormals flush;
  multiplier_->start_step(updates_);
  const Tensor& logits = forward(inputs, true);
  Stage& last = stages_[run_.back()];
  const Score score = compiled().loss.evaluate(logits, labels, &last.d_output);
  if (last.relu) mask_gradient(last.output, last.d_output);
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
