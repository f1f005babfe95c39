#include "host/nn/training/training_graph.h"

#include "host/graph/gradient.h"
#include "host/nn/training/updates.h"

namespace systole::nn {

std::set<std::string> states_of(const TrainingGraph& step) {
  std::set<std::string> names;
  for (const TrainingGraph::State& state : step.states) names.insert(state.input);
  return names;
}

namespace {

constexpr graph::Type kScalar{graph::Element::kF32, {}};

/// Loss, accuracy, the parameters as states, the layers' own updates, and the gradients.
std::vector<Trained> differentiate(TrainingGraph& step, graph::Graph& graph, Builder& builder,
                                   Value loss, Value accuracy) {
  graph.output("loss", loss);
  graph.output("accuracy", accuracy);
  std::vector<Trained> trained;
  std::vector<Value> wanted;
  for (const auto& [parameter, value, updated] : builder.variables()) {
    step.states.push_back({.input = input_name(parameter->name), .parameter = parameter});
    if (updated) graph.update(value, input_name(parameter->name) + ".next", updated);
    if (!parameter->trained) continue;
    trained.push_back({.parameter = parameter, .value = value, .gradient = {}});
    wanted.push_back(value);
  }
  const std::vector<Value> gradients = graph::gradients(loss, wanted);
  for (std::size_t i = 0; i < trained.size(); ++i) trained[i].gradient = gradients[i];
  return trained;
}

}  // namespace

TrainingGraph finish_step(std::unique_ptr<graph::Graph> graph, Builder& builder, Value loss,
                          Value accuracy, const Optimizer& optimizer,
                          std::optional<float> clip_norm) {
  TrainingGraph step;
  const Value rate = graph->input("learning_rate", kScalar),
              number = graph->input("update", kScalar);
  const std::vector<Trained> trained = differentiate(step, *graph, builder, loss, accuracy);
  const std::vector<std::size_t> slots =
      write_updates(*graph, trained, optimizer, clip_norm, rate, number);
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
                               Value accuracy) {
  TrainingGraph step;
  graph->input("update", kScalar);
  for (const auto& [parameter, value, gradient] :
       differentiate(step, *graph, builder, loss, accuracy)) {
    const std::string name = "d_" + input_name(parameter->name);
    graph->update(graph->input(name, gradient.type()), name + ".next", gradient);
    step.states.push_back(
        {.input = name, .parameter = parameter, .slot = TrainingGraph::State::kGradient});
  }
  step.graph = std::move(graph);
  return step;
}

}  // namespace systole::nn
