#include "host/nn/training/replica.h"

#include <algorithm>
#include <utility>

#include "host/nn/training/not_finite.h"

namespace systole::nn {
namespace {

// The gradient before a ReLU, from what is behind it.
void mask_gradient(const Tensor& output, Tensor& d_output) {
  for (std::size_t i = 0; i < d_output.values.size(); ++i) {
    if (!(output.values[i] > 0.0f)) d_output.values[i] = 0.0f;
  }
}

}  // namespace

Replica::Replica(const std::vector<LayerSpec>& layers) {
  for (const LayerSpec& spec : layers) stages_.push_back({.layer = spec.make()});
}

void Replica::open(const Device& device, DataType precision, std::uint64_t seed) {
  multiplier_ = std::make_unique<Multiplier>(device, precision, seed);
}

void Replica::build(const Shape& input_shape, std::uint64_t seed) {
  Shape shape = input_shape;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    Stage& stage = stages_[i];
    Generator generator(seed, i);
    shape = stage.layer->build(shape, generator);
    stage = {.layer = std::move(stage.layer), .output_shape = shape};
  }
  plan_passes();
}

void Replica::plan_passes() {
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

bool Replica::is_on_device(std::size_t place) const {
  if (place >= run_.size() || !multiplier_->keeps_tensors()) return false;
  const Execution execution = stages_[run_[place]].layer->execution();
  return execution == Execution::kDevice || execution == Execution::kDeviceRelu;
}

const Tensor& Replica::forward(const Tensor& inputs, const Place& where) {
  if (where.training) multiplier_->start_step(where.step);
  const Tensor* current = &inputs;
  for (std::size_t place = 0; place < run_.size(); ++place) {
    Stage& stage = stages_[run_[place]];
    const Pass pass{.multiplier = *multiplier_,
                    .training = where.training,
                    .step = where.step,
                    .first_row = where.first_row,
                    .on_device = is_on_device(place) && is_on_device(place + 1),
                    .relu = stage.relu};
    stage.layer->forward(pass, *current, stage.output);
    current = &stage.output;
  }
  return *current;
}

void Replica::backward(const Tensor& inputs, const Place& where) {
  Stage& last = stages_[run_.back()];
  if (last.relu) mask_gradient(last.output, last.d_output);
  for (std::size_t place = run_.size(); place-- > first_trained_;) {
    Stage& stage = stages_[run_[place]];
    Stage* before = place == 0 ? nullptr : &stages_[run_[place - 1]];
    Tensor* d_input = place > first_trained_ ? &before->d_output : nullptr;
    const bool masks = d_input != nullptr && before->relu;
    const bool is_device = is_on_device(place);
    const Pass pass{.multiplier = *multiplier_,
                    .training = true,
                    .step = where.step,
                    .first_row = where.first_row,
                    .on_device = is_device && d_input != nullptr && is_on_device(place - 1),
                    .relu = stage.relu,
                    .mask = is_device && masks};
    stage.layer->backward(pass, place == 0 ? inputs : before->output, stage.output, stage.d_output,
                          d_input);
    if (masks && !pass.mask) mask_gradient(before->output, *d_input);
  }
  multiplier_->wait();
}

std::string Replica::first_not_finite() {
  std::vector<LayerState> layers;
  for (const std::size_t i : run_) {
    Stage& stage = stages_[i];
    multiplier_->to_host(stage.output);
    multiplier_->to_host(stage.d_output);
    layers.push_back({.index = i,
                      .kind = stage.layer->kind(),
                      .output = &stage.output,
                      .d_output = &stage.d_output,
                      .parameters = stage.layer->parameters()});
  }
  return nn::first_not_finite(layers);
}

std::vector<Parameter*> Replica::parameters() const {
  std::vector<Parameter*> all;
  for (const Stage& stage : stages_) {
    for (Parameter& parameter : stage.layer->parameters()) all.push_back(&parameter);
  }
  return all;
}

}  // namespace systole::nn
