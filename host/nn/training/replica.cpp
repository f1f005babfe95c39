#include "host/nn/training/replica.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "host/nn/training/not_finite.h"

namespace systole::nn {
namespace {

std::string lower(std::string word) {
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  return word;
}

Score run(Step& step, const Replica::Batch& batch) {
  step.read("x", batch.inputs.values.data());
  step.read("labels", batch.labels.data());
  return step.run(batch.step, batch.first_row);
}

}  // namespace

Replica::Replica(std::shared_ptr<const std::vector<Layer>> layers) : layers_(std::move(layers)) {
  for (const Layer& layer : *layers_) {
    stages_.push_back({.kind = layer.kind(), .description = layer.description()});
  }
}

void Replica::open(const Device& device, DataType precision, std::uint64_t seed) {
  forward_.clear();
  steps_.clear();
  whole_.reset();
  rounding_seed_ = seed;
  multiplier_ = std::make_unique<Multiplier>(device, precision, seed);
}

void Replica::build(const Shape& input_shape, std::uint64_t seed) {
  input_shape_ = input_shape;
  seed_ = seed;
  forward_.clear();
  steps_.clear();
  whole_.reset();
  parameters_.clear();
  parameter_list_.clear();
  graph::Graph graph;
  Builder builder(graph, parameters_, false);
  std::vector<Value> outputs;
  write(builder, 1, &outputs);
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    stages_[i].output_shape = sample_shape(outputs[i]);
    stages_[i].parameters.clear();
    const std::string scope = scope_of(i) + ".";
    for (Parameter& parameter : parameters_) {
      if (parameter.name.starts_with(scope)) stages_[i].parameters.push_back(&parameter);
    }
  }
  for (Parameter& parameter : parameters_) parameter_list_.push_back(&parameter);
}

std::string Replica::scope_of(std::size_t layer) const {
  return fmt::format("{}.{}", layer, lower((*layers_)[layer].kind()));
}

Value Replica::write(Builder& builder, std::int64_t rows, std::vector<Value>* outputs) {
  Shape shape = input_shape_;
  shape.insert(shape.begin(), rows);
  Value x = builder.graph().input("x", {graph::Element::kF32, shape});
  for (std::size_t i = 0; i < layers_->size(); ++i) {
    const Builder::Scope scope(builder, scope_of(i) + ".");
    builder.start_from(seed_, i);
    x = (*layers_)[i](builder, x);
    if (outputs != nullptr) outputs->push_back(x);
  }
  return x;
}

const Tensor& Replica::forward(const Tensor& inputs) {
  std::unique_ptr<Program>& program = forward_[inputs.rows];
  const std::int64_t size = size_of(stages_.back().output_shape);
  if (!program) {
    graph::Graph graph;
    Builder builder(graph, parameters_, false);
    graph.output("y", reshape(write(builder, inputs.rows, nullptr), {inputs.rows, size}));
    program = std::make_unique<Program>(builder, *multiplier_);
  }
  outputs_.resize(inputs.rows, size);
  program->read("x", inputs.values.data());
  program->write("y", outputs_.values.data());
  program->run();
  return outputs_;
}

Replica::Written Replica::write_step(Builder& builder, std::int64_t rows, const Loss& loss) {
  graph::Graph& graph = builder.graph();
  Written written;
  const Value y = write(builder, rows, &written.layers);
  const Value outputs = reshape(y, {rows, size_of(sample_shape(y))});
  const Value labels = graph.input("labels", {graph::Element::kS32, {rows}});
  const auto scoped = [&](const char* name, const auto& work) {
    const graph::Graph::Scope scope(graph, name);
    return work();
  };
  written.loss = scoped("loss", [&] {
    return std::visit([&](const auto& one) { return one(outputs, labels); }, loss);
  });
  written.accuracy = scoped("accuracy", [&] { return accuracy(outputs, labels); });
  return written;
}

std::unique_ptr<Step> Replica::make_step(std::int64_t rows, const Loss& loss, bool traces_layers) {
  graph::Graph graph;
  Builder builder(graph, parameters_, true);
  Written step = write_step(builder, rows, loss);
  if (!traces_layers) step.layers.clear();
  return std::make_unique<Step>(builder, step.loss, step.accuracy, *multiplier_, step.layers);
}

TrainingGraph Replica::training_graph(std::int64_t rows, const Loss& loss,
                                      const Optimizer& optimizer, std::optional<float> clip_norm) {
  auto graph = std::make_unique<graph::Graph>();
  Builder builder(*graph, parameters_, true);
  const Written step = write_step(builder, rows, loss);
  return finish_step(std::move(graph), builder, step.loss, step.accuracy, optimizer, clip_norm);
}

Score Replica::gradients(const Batch& batch, const Loss& loss) {
  need_labels(batch.labels, batch.inputs.rows, size_of(stages_.back().output_shape));
  if (whole_) return gradients_whole(batch);
  std::unique_ptr<Step>& step = steps_[batch.inputs.rows];
  if (!step) step = make_step(batch.inputs.rows, loss, false);
  return run(*step, batch);
}

void Replica::run_gradients_whole(const Loss& loss) {
  const auto write = [this, loss](std::int64_t rows) {
    auto graph = std::make_unique<graph::Graph>();
    Builder builder(*graph, parameters_, true);
    const Written step = write_step(builder, rows, loss);
    return finish_gradients(std::move(graph), builder, step.loss, step.accuracy);
  };
  auto whole = std::make_shared<CompiledTraining>(
      multiplier_->device(), CompiledTraining::Options{.write = write,
                                                       .parameters = parameter_list_,
                                                       .precision = multiplier_->precision(),
                                                       .seed = rounding_seed_});
  whole->need_lowered(1);
  whole_ = std::move(whole);
}

Score Replica::gradients_whole(const Batch& batch) {
  const CompiledTraining::Input inputs[] = {
      {"x", batch.inputs.values.data(), std::ssize(batch.inputs.values)},
      {"labels", batch.labels.data(), std::ssize(batch.labels)}};
  whole_->need_program(batch.inputs.rows);
  whole_->add(whole_->prepare(batch.inputs.rows, inputs,
                              {.update = batch.step + 1, .first_row = batch.first_row}));
  const Score score = whole_->run().front();
  whole_->read_back();
  multiplier_->count({}, whole_->device_seconds());
  return score;
}

// Runs the step again with the values between layers as outputs.
std::string Replica::first_not_finite(const Batch& batch, const Loss& loss) {
  const std::unique_ptr<Step> step = make_step(batch.inputs.rows, loss, true);
  run(*step, batch);
  const auto words = [&](const char* what, std::size_t i) {
    return fmt::format("the {} of layer {} ({}) is not finite", what, i, stages_[i].kind);
  };
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    if (!all_finite(step->traces()[i].value.values)) return words("output", i);
  }
  for (std::size_t i = stages_.size(); i-- > 0;) {
    const bool finite = all_finite(step->traces()[i].gradient.values) &&
                        std::ranges::all_of(stages_[i].parameters, [](const Parameter* parameter) {
                          return all_finite(parameter->gradient);
                        });
    if (!finite) return words("gradient", i);
  }
  return {};
}

}  // namespace systole::nn
