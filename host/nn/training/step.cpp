#include "host/nn/training/step.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/graph/gradient.h"
#include "host/nn/layers/layer.h"

namespace systole::nn {

Step::Step(Builder& builder, Value loss, Value accuracy, Multiplier& multiplier,
           std::span<const Value> traced)
    : multiplier_(multiplier), program_(write(builder, loss, accuracy, traced)) {}

Program Step::write(Builder& builder, Value loss, Value accuracy, std::span<const Value> traced) {
  graph::Graph& graph = builder.graph();
  graph.output("loss", loss);
  graph.output("accuracy", accuracy);
  std::vector<Value> wanted(traced.begin(), traced.end());
  std::vector<Parameter*> trained;
  for (const auto& [parameter, value, updated] : builder.variables()) {
    if (parameter->trained && builder.training()) {
      trained.push_back(parameter);
      wanted.push_back(value);
    }
    if (!updated) continue;
    graph.update(value, input_name(parameter->name) + ".next", updated);
    updated_.push_back(parameter);
  }
  const std::vector<Value> gradients = graph::gradients(loss, wanted);
  for (std::size_t i = 0; i < traced.size(); ++i) {
    graph.output(fmt::format("y{}", i), traced[i]);
    graph.output(fmt::format("dy{}", i), gradients[i]);
  }
  for (std::size_t i = 0; i < trained.size(); ++i) {
    graph.output("d" + input_name(trained[i]->name), gradients[traced.size() + i]);
  }
  Program program(builder, multiplier_);
  program.write("loss", &loss_);
  program.write("accuracy", &accuracy_);
  for (Parameter* parameter : trained) {
    program.write("d" + input_name(parameter->name), parameter->gradient);
  }
  for (std::size_t i = 0; i < traced.size(); ++i) {
    Trace& trace = traces_.emplace_back();
    for (Tensor* tensor : {&trace.value, &trace.gradient}) {
      tensor->resize(traced[i].dimension(0), size_of(sample_shape(traced[i])));
    }
    program.write(fmt::format("y{}", i), trace.value.values);
    program.write(fmt::format("dy{}", i), trace.gradient.values);
  }
  for (const graph::Input& input : graph.inputs()) {
    if (input.name == "step") program.read("step", &step_);
    if (input.name == "first_row") program.read("first_row", &first_row_);
  }
  return program;
}

Score Step::run(std::int64_t step, std::int64_t first_row) {
  step_ = static_cast<std::uint32_t>(step);
  first_row_ = static_cast<std::uint32_t>(first_row);
  multiplier_.start_step(step);
  program_.run();
  for (Parameter* parameter : updated_) ++parameter->version;
  return {.loss = loss_, .accuracy = accuracy_};
}

}  // namespace systole::nn
