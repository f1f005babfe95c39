#include "host/nn/training/training_graph.h"

#include "host/graph/gradient.h"
#include "host/nn/layers/step_scalars.h"
#include "host/nn/training/updates.h"

namespace systole::nn {

std::set<std::string> states_of(const TrainingGraph& step) {
  std::set<std::string> names;
  for (const TrainingGraph::State& state : step.states) names.insert(state.input);
  return names;
}

std::set<std::string> slots_of(const TrainingGraph& step) {
  std::set<std::string> names;
  for (const TrainingGraph::State& state : step.states) {
    if (state.slot >= 0) names.insert(state.input);
  }
  return names;
}

namespace {

void judge(graph::Graph& graph, Value loss, Value accuracy) {
  graph.output("loss", loss);
  graph.output("accuracy", accuracy);
}

/// The parameters as states, which the layers may update.
void add_parameters(TrainingGraph& step, graph::Graph& graph, std::span<const Variable> variables) {
  for (const auto& [parameter, value, updated] : variables) {
    const std::string name = input_name(parameter->name);
    step.states.push_back(
        {.input = name, .parameter = parameter, .is_updated = static_cast<bool>(updated)});
    if (updated) graph.update(value, name + ".next", updated);
  }
}

/// The trained parameters with their gradients, then the gradients of other values.
std::vector<Trained> differentiate(const Builder& builder, Value loss, const Returned& others,
                                   std::vector<Value>& of_others) {
  std::vector<Trained> trained;
  std::vector<Value> wanted;
  for (const auto& [parameter, value, updated] : builder.variables()) {
    if (!parameter->trained) continue;
    trained.push_back({.parameter = parameter, .value = value, .gradient = {}});
    wanted.push_back(value);
  }
  for (const auto& [name, value] : others) wanted.push_back(value);
  const std::vector<Value> gradients = graph::gradients(loss, wanted);
  for (std::size_t i = 0; i < trained.size(); ++i) trained[i].gradient = gradients[i];
  of_others.assign(gradients.begin() + std::ssize(trained), gradients.end());
  return trained;
}

}  // namespace

TrainingGraph finish_step(std::unique_ptr<graph::Graph> graph, Builder& builder, Value loss,
                          Value accuracy, const Optimizer& optimizer,
                          std::optional<float> clip_norm, const CoreRows& core) {
  TrainingGraph step;
  const graph::Type scalar{graph::Element::kF32, {}};
  const Value rate = graph->input(StepScalars::kRate, scalar), number = builder.update_number();
  std::vector<Value> none;
  std::vector<Trained> trained = differentiate(builder, loss, {}, none);
  std::vector<Variable> variables = builder.variables();
  std::vector<Value*> of_batch = {&loss, &accuracy};
  for (Variable& variable : variables) {
    if (variable.updated) of_batch.push_back(&variable.updated);
  }
  for (Trained& one : trained) of_batch.push_back(&one.gradient);
  std::vector<Value> values;
  for (const Value* value : of_batch) values.push_back(*value);
  values = means_over_cores(core, values);
  for (std::size_t i = 0; i < values.size(); ++i) *of_batch[i] = values[i];
  judge(*graph, loss, accuracy);
  add_parameters(step, *graph, variables);
  const std::vector<std::size_t> slots =
      write_updates(*graph, trained, optimizer, clip_norm, rate, number);
  for (TrainingGraph::State& state : step.states) {
    state.is_updated = state.is_updated || state.parameter->trained;
  }
  for (std::size_t i = 0; i < trained.size(); ++i) {
    Parameter& parameter = *trained[i].parameter;
    parameter.need_slots(slots[i]);
    for (std::size_t slot = 0; slot < slots[i]; ++slot) {
      step.states.push_back({.input = slot_name(input_name(parameter.name), slot),
                             .parameter = &parameter,
                             .slot = static_cast<int>(slot)});
    }
  }
  step.graph = std::move(graph);
  return step;
}

TrainingGraph finish_gradients(std::unique_ptr<graph::Graph> graph, Builder& builder, Value loss,
                               Value accuracy, const Returned& traced) {
  TrainingGraph step;
  builder.update_number();
  judge(*graph, loss, accuracy);
  add_parameters(step, *graph, builder.variables());
  std::vector<Value> of_traced;
  for (const auto& [parameter, value, gradient] : differentiate(builder, loss, traced, of_traced)) {
    const std::string name = "d_" + input_name(parameter->name);
    graph->update(graph->input(name, gradient.type()), name + ".next", gradient);
    step.states.push_back(
        {.input = name, .parameter = parameter, .slot = TrainingGraph::State::kGradient});
  }
  for (std::size_t i = 0; i < traced.size(); ++i) {
    graph->output(traced[i].first, traced[i].second);
    graph->output("d" + traced[i].first, of_traced[i]);
  }
  step.graph = std::move(graph);
  return step;
}

TrainingGraph finish_evaluation(std::unique_ptr<graph::Graph> graph, Builder& builder, Value loss,
                                Value accuracy) {
  TrainingGraph step;
  judge(*graph, loss, accuracy);
  add_parameters(step, *graph, builder.variables());
  step.graph = std::move(graph);
  return step;
}

TrainingGraph finish_prediction(std::unique_ptr<graph::Graph> graph, Builder& builder,
                                const Returned& outputs) {
  TrainingGraph step;
  add_parameters(step, *graph, builder.variables());
  for (const auto& [name, value] : outputs) graph->output(name, value);
  step.graph = std::move(graph);
  return step;
}

}  // namespace systole::nn
