#include "host/nn/training/update_steps.h"

#include <algorithm>
#include <iterator>

#include "host/nn/layers/step_scalars.h"
#include "host/nn/training/updates.h"

namespace systole::nn {

void UpdateSteps::write(const Optimizer& optimizer, std::optional<float> clip_norm,
                        const Device& device) {
  using State = TrainingGraph::State;
  step_ = {.graph = std::make_unique<graph::Graph>(), .states = {}};
  graph::Graph& graph = *step_.graph;
  const graph::Type scalar{graph::Element::kF32, {}};
  const Value rate = graph.input(StepScalars::kRate, scalar),
              number = graph.input(StepScalars::kUpdate, scalar);
  std::vector<Trained> trained;
  for (Parameter* parameter : trained_) {
    const std::string name = input_name(parameter->name);
    const graph::Type type{graph::Element::kF32, parameter->shape};
    trained.push_back({.parameter = parameter,
                       .value = graph.input(name, type),
                       .gradient = graph.input("d_" + name, type)});
    step_.states.push_back({.input = name, .parameter = parameter});
    step_.states.push_back({.input = "d_" + name,
                            .parameter = parameter,
                            .slot = State::kGradient,
                            .is_updated = false});
  }
  const std::vector<std::size_t> slots =
      write_updates(graph, trained, optimizer, clip_norm, rate, number);
  for (std::size_t i = 0; i < trained_.size(); ++i) {
    trained_[i]->need_slots(slots[i]);
    for (std::size_t slot = 0; slot < slots[i]; ++slot) {
      step_.states.push_back({.input = slot_name(input_name(trained_[i]->name), slot),
                              .parameter = trained_[i],
                              .slot = static_cast<int>(slot)});
    }
  }
  runner_ = StepRunner::compile(step_, device, {.precision = default_precision(device)});
}

void UpdateSteps::run(std::span<Parameter* const> parameters, const Optimizer& optimizer,
                      std::optional<float> clip_norm, float rate, std::int64_t update,
                      const Device& device) {
  std::vector<Parameter*> trained;
  std::ranges::copy_if(parameters, std::back_inserter(trained),
                       [](const Parameter* parameter) { return parameter->trained; });
  if (trained.empty()) return;
  if (!runner_ || trained != trained_) {
    trained_ = std::move(trained);
    write(optimizer, clip_norm, device);
  }
  for (const TrainingGraph::State& state : step_.states) {
    runner_->write_state(state.input, state.values());
  }
  runner_->write(0, runner_->prepare({}, {.rate = rate, .update = update}));
  runner_->run(1);
  for (const TrainingGraph::State& state : step_.states) {
    if (state.is_updated) runner_->read_state(state.input, state.values());
  }
  for (Parameter* parameter : trained_) ++parameter->version;
}

}  // namespace systole::nn
