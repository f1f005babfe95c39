#include "host/nn/training/replica.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/nn/training/not_finite.h"

namespace systole::nn {

OutputLabels labels_of(const Shape& output) {
  if (output.size() == 2) return {.count = output[0], .classes = output[1]};
  return {.classes = size_of(output)};
}

Replica::Replica(std::shared_ptr<const std::vector<Layer>> layers) : layers_(std::move(layers)) {
  for (const Layer& layer : *layers_) {
    stages_.push_back({.kind = layer.kind(), .description = layer.description()});
  }
}

void Replica::open(const Settings& settings) {
  need_precision(settings.device, settings.precision);
  settings_ = settings;
  training_.reset();
  gradients_.reset();
  evaluation_.reset();
  prediction_.reset();
}

template <typename Write>
std::unique_ptr<CompiledTraining> Replica::compiled(const Write& write, std::int64_t steps) {
  return std::make_unique<CompiledTraining>(
      settings_->device, CompiledTraining::Options{.write = write,
                                                   .parameters = parameter_list_,
                                                   .precision = settings_->precision,
                                                   .steps = steps,
                                                   .seed = settings_->rounding_seed,
                                                   .core = settings_->core});
}

void Replica::build(const Shape& input_shape, std::uint64_t seed) {
  input_shape_ = input_shape;
  seed_ = seed;
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
  if (!settings_) return;
  training_ = compiled(
      [this](const Shape& batch) {
        CoreRows own{.core = settings_->core, .cores = settings_->cores, .rows = batch[0]};
        if (own.cores > 1) own.all = batch[1];
        return training_graph(own.rows, settings_->loss, settings_->optimizer, settings_->clip_norm,
                              own);
      },
      settings_->steps);
  gradients_ = compiled([this](const Shape& batch) { return gradient_graph(batch[0], false); });
  evaluation_ = compiled([this](const Shape& batch) {
    auto graph = std::make_unique<graph::Graph>();
    Builder builder(*graph, parameters_, false);
    const Written step = write_step(builder, batch[0], settings_->loss);
    return finish_evaluation(std::move(graph), builder, step.loss, step.accuracy);
  });
  prediction_ = compiled([this](const Shape& batch) {
    auto graph = std::make_unique<graph::Graph>();
    Builder builder(*graph, parameters_, false);
    const Value y = write(builder, batch[0], nullptr);
    return finish_prediction(std::move(graph), builder,
                             {{"y", reshape(y, {batch[0], size_of(sample_shape(y))})}});
  });
}

std::string Replica::scope_of(std::size_t layer) const {
  return scope_name(layer, (*layers_)[layer]);
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

Replica::Written Replica::write_step(Builder& builder, std::int64_t rows, const Loss& loss) {
  graph::Graph& graph = builder.graph();
  Written written;
  const Value y = write(builder, rows, &written.layers);
  const OutputLabels each = labels_of(sample_shape(y));
  const Value outputs = reshape(y, {rows * each.count, each.classes});
  const Value labels = graph.input("labels", {graph::Element::kS32, {rows * each.count}});
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

TrainingGraph Replica::training_graph(std::int64_t rows, const Loss& loss,
                                      const Optimizer& optimizer, std::optional<float> clip_norm,
                                      const CoreRows& core) {
  auto graph = std::make_unique<graph::Graph>();
  Builder builder(*graph, parameters_, true);
  const Written step = write_step(builder, std::max<std::int64_t>(rows, 1), loss);
  TrainingGraph finished =
      finish_step(std::move(graph), builder, step.loss, step.accuracy, optimizer, clip_norm, core);
  if (core.cores == 1 || core.rows > 0) return finished;
  CoreRows one = core;
  one.rows = 1;
  finished.with_rows = training_graph(1, loss, optimizer, clip_norm, one).graph;
  return finished;
}

TrainingGraph Replica::gradient_graph(std::int64_t rows, bool traces_layers) {
  auto graph = std::make_unique<graph::Graph>();
  Builder builder(*graph, parameters_, true);
  const Written step = write_step(builder, rows, settings_->loss);
  Returned traced;
  for (std::size_t i = 0; traces_layers && i < step.layers.size(); ++i) {
    traced.emplace_back(fmt::format("y{}", i), step.layers[i]);
  }
  return finish_gradients(std::move(graph), builder, step.loss, step.accuracy, traced);
}

CompiledTraining::Prepared Replica::prepare(const CompiledTraining& steps,
                                            const Batch& batch) const {
  std::vector<CompiledTraining::Input> inputs;
  if (batch.rows > 0) inputs.push_back({"x", batch.inputs, batch.rows * size_of(input_shape_)});
  if (!batch.labels.empty()) {
    inputs.push_back({"labels", batch.labels.data(), std::ssize(batch.labels)});
  }
  Shape shape = {batch.rows};
  if (batch.all_rows > 0) shape.push_back(batch.all_rows);
  return steps.prepare(shape, inputs, batch.scalars);
}

void Replica::add(CompiledTraining& steps, const Batch& batch) {
  read_back();
  steps.need_program({batch.rows});
  steps.add(prepare(steps, batch));
}

Score Replica::run_gradients(CompiledTraining::Prepared batch) {
  read_back();
  gradients_->add(std::move(batch));
  const Score score = gradients_->run().front();
  gradients_->read_back();
  return score;
}

Score Replica::evaluate(const Batch& batch) {
  add(*evaluation_, batch);
  return evaluation_->run().front();
}

const Tensor& Replica::forward(const Batch& batch) {
  add(*prediction_, batch);
  prediction_->run();
  outputs_.resize(batch.rows, size_of(stages_.back().output_shape));
  prediction_->read_output("y", outputs_.values);
  return outputs_;
}

std::string Replica::first_not_finite(const Batch& batch) {
  CompiledTraining step(
      Device::open("cpu", {.threads = settings_->device.info().threads}),
      {.write = [this](const Shape& shape) { return gradient_graph(shape[0], true); },
       .parameters = parameter_list_,
       .precision = DataType::kFp32});
  add(step, batch);
  step.run();
  const auto is_finite = [&](const char* prefix, std::size_t layer) {
    std::vector<float> values(
        static_cast<std::size_t>(batch.rows * size_of(stages_[layer].output_shape)));
    step.read_output(fmt::format("{}{}", prefix, layer), values);
    return all_finite(values);
  };
  const auto is_finite_in = [&](const Parameter* parameter) {
    if (!parameter->trained) return true;
    std::vector<float> values(parameter->gradient.size());
    step.read_output(fmt::format("d_{}.next", input_name(parameter->name)), values);
    return all_finite(values);
  };
  const auto words = [&](const char* what, std::size_t i) {
    return fmt::format("the {} of layer {} ({}) is not finite", what, i, stages_[i].kind);
  };
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    if (!is_finite("y", i)) return words("output", i);
  }
  for (std::size_t i = stages_.size(); i-- > 0;) {
    if (!is_finite("dy", i) || !std::ranges::all_of(stages_[i].parameters, is_finite_in)) {
      return words("gradient", i);
    }
  }
  return {};
}

std::vector<const CompiledTraining*> Replica::all() const {
  if (!training_) return {};
  return {training_.get(), gradients_.get(), evaluation_.get(), prediction_.get()};
}

double Replica::device_seconds() const { return nn::device_seconds(all()); }

Counters Replica::processor_products() const { return nn::processor_products(all()); }

}  // namespace systole::nn
