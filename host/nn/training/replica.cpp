#include "host/nn/training/replica.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "host/graph/gradient.h"
#include "host/nn/training/not_finite.h"

namespace systole::nn {
namespace {

std::string lower(std::string word) {
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  return word;
}

Tensor tensor_of(const Value& value) {
  Tensor tensor;
  tensor.resize(value.dimension(0), size_of(sample_shape(value)));
  return tensor;
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
  multiplier_ = std::make_unique<Multiplier>(device, precision, seed);
}

void Replica::build(const Shape& input_shape, std::uint64_t seed) {
  input_shape_ = input_shape;
  seed_ = seed;
  forward_.clear();
  steps_.clear();
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
    const Builder::Scope scope(builder, scope_of(i), seed_, i);
    x = (*layers_)[i](builder, x);
    if (outputs != nullptr) outputs->push_back(x);
  }
  return x;
}

std::unique_ptr<Program> Replica::make_program(const graph::Graph& graph,
                                               const std::vector<Variable>& variables) {
  auto program =
      std::make_unique<Program>(graph, multiplier_.get(), multiplier_->device().info().threads);
  for (const auto& [parameter, value, updated] : variables) {
    const std::string name = input_name(parameter->name);
    program->read(name, parameter->value, &parameter->version);
    if (updated) program->write(name + ".next", parameter->value);
  }
  return program;
}

const Tensor& Replica::forward(const Tensor& inputs) {
  std::unique_ptr<Program>& program = forward_[inputs.rows];
  const std::int64_t size = size_of(stages_.back().output_shape);
  if (!program) {
    graph::Graph graph;
    Builder builder(graph, parameters_, false);
    graph.output("y", reshape(write(builder, inputs.rows, nullptr), {inputs.rows, size}));
    program = make_program(graph, builder.variables());
  }
  outputs_.resize(inputs.rows, size);
  program->read("x", inputs.values.data());
  program->write("y", outputs_.values.data());
  program->run();
  return outputs_;
}

Replica::Step Replica::make_step(std::int64_t rows, const Loss& loss, Trace* trace) {
  graph::Graph graph;
  Builder builder(graph, parameters_, true);
  std::vector<Value> layers;
  const Value y = write(builder, rows, &layers);
  const Value outputs = reshape(y, {rows, size_of(sample_shape(y))});
  const Value labels = graph.input("labels", {graph::Element::kS32, {rows}});
  const auto scoped = [&](const char* name, const auto& work) {
    const graph::Graph::Scope scope(graph, name);
    return work();
  };
  const Value found = scoped("loss", [&] {
    return std::visit([&](const auto& one) { return one(outputs, labels); }, loss);
  });
  graph.output("loss", found);
  graph.output("accuracy", scoped("accuracy", [&] { return accuracy(outputs, labels); }));
  std::vector<Variable> trained = builder.variables();
  std::erase_if(trained, [](const Variable& variable) { return !variable.parameter->trained; });
  std::vector<Value> wanted;
  for (const Variable& variable : trained) wanted.push_back(variable.value);
  if (trace != nullptr) wanted.insert(wanted.end(), layers.begin(), layers.end());
  const std::vector<Value> gradients = graph::gradients(found, wanted);
  for (std::size_t i = 0; i < trained.size(); ++i) {
    graph.output("d" + input_name(trained[i].parameter->name), gradients[i]);
  }
  Step step;
  for (const auto& [parameter, value, updated] : builder.variables()) {
    if (!updated) continue;
    graph.update(value, input_name(parameter->name) + ".next", updated);
    step.updated.push_back(parameter);
  }
  for (std::size_t i = 0; trace != nullptr && i < layers.size(); ++i) {
    graph.output(fmt::format("y{}", i), layers[i]);
    graph.output(fmt::format("dy{}", i), gradients[trained.size() + i]);
  }
  step.program = make_program(graph, builder.variables());
  for (const Variable& variable : trained) {
    step.program->write("d" + input_name(variable.parameter->name), variable.parameter->gradient);
  }
  for (std::size_t i = 0; trace != nullptr && i < layers.size(); ++i) {
    step.program->write(fmt::format("y{}", i),
                        trace->outputs.emplace_back(tensor_of(layers[i])).values);
    step.program->write(fmt::format("dy{}", i),
                        trace->d_outputs.emplace_back(tensor_of(layers[i])).values);
  }
  const auto has = [&](std::string_view name) {
    return std::ranges::count(graph.inputs(), name, &graph::Input::name) > 0;
  };
  step.has_step = has("step");
  step.has_first_row = has("first_row");
  return step;
}

Score Replica::run(Step& step, const Batch& batch) {
  const auto number = static_cast<std::uint32_t>(batch.step);
  const auto first_row = static_cast<std::uint32_t>(batch.first_row);
  float loss = 0, accuracy = 0;
  Program& program = *step.program;
  program.read("x", batch.inputs.values.data());
  program.read("labels", batch.labels.data());
  if (step.has_step) program.read("step", &number);
  if (step.has_first_row) program.read("first_row", &first_row);
  program.write("loss", &loss);
  program.write("accuracy", &accuracy);
  multiplier_->start_step(batch.step);
  program.run();
  for (Parameter* parameter : step.updated) ++parameter->version;
  return {.loss = loss, .accuracy = accuracy};
}

Score Replica::gradients(const Batch& batch, const Loss& loss) {
  need_labels(batch.labels, batch.inputs.rows, size_of(stages_.back().output_shape));
  Step& step = steps_[batch.inputs.rows];
  if (!step.program) step = make_step(batch.inputs.rows, loss, nullptr);
  return run(step, batch);
}

// The step again, with what is between the layers as outputs.
std::string Replica::first_not_finite(const Batch& batch, const Loss& loss) {
  Trace trace;
  Step step = make_step(batch.inputs.rows, loss, &trace);
  run(step, batch);
  const auto words = [&](const char* what, std::size_t i) {
    return fmt::format("the {} of layer {} ({}) is not finite", what, i, stages_[i].kind);
  };
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    if (!all_finite(trace.outputs[i].values)) return words("output", i);
  }
  for (std::size_t i = stages_.size(); i-- > 0;) {
    const bool finite = all_finite(trace.d_outputs[i].values) &&
                        std::ranges::all_of(stages_[i].parameters, [](const Parameter* parameter) {
                          return all_finite(parameter->gradient);
                        });
    if (!finite) return words("gradient", i);
  }
  return {};
}

}  // namespace systole::nn
