#include "host/nn/training/updates.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "host/nn/layers/step_scalars.h"

namespace systole::nn {

std::string slot_name(std::string_view input, std::size_t slot) {
  return fmt::format("{}.slot{}", input, slot);
}

std::vector<Value> clip_norm(std::span<const Value> gradients, double limit) {
  Value squares = {};
  for (const Value gradient : gradients) {
    const Value part = sum(gradient * gradient);
    squares = squares ? squares + part : part;
  }
  std::vector<Value> clipped;
  for (const Value gradient : gradients) {
    clipped.push_back(gradient * (limit / maximum(sqrt(squares), constant_like(squares, limit))));
  }
  return clipped;
}

std::vector<std::size_t> write_updates(graph::Graph& graph, std::span<const Trained> trained,
                                       const Optimizer& optimizer, std::optional<float> clip,
                                       Value rate, Value step) {
  std::vector<Value> gradients;
  for (const Trained& one : trained) gradients.push_back(one.gradient);
  if (clip) gradients = clip_norm(gradients, *clip);
  std::vector<std::size_t> slots;
  for (std::size_t i = 0; i < trained.size(); ++i) {
    const Value value = trained[i].value;
    const std::string name = input_name(trained[i].parameter->name);
    std::vector<Value> own;
    const auto slot = [&] {
      return own.emplace_back(graph.input(slot_name(name, own.size()), value.type()));
    };
    const auto keep = [&](Value old, Value next) {
      const auto place = std::ranges::find(own, old.id(), &Value::id) - own.begin();
      graph.update(old, slot_name(name, static_cast<std::size_t>(place)) + ".next", next);
    };
    const Update update{.value = value,
                        .gradient = gradients[i],
                        .learning_rate = rate,
                        .step = step,
                        .slot = slot,
                        .keep = keep};
    const graph::Graph::Scope scope(graph, "update of " + trained[i].parameter->name);
    const Value next = std::visit([&](const auto& one) { return one(update); }, optimizer);
    graph.update(value, name + ".next", next);
    slots.push_back(own.size());
  }
  return slots;
}

void Updates::write(const Optimizer& optimizer, std::optional<float> clip, int threads) {
  graph::Graph graph;
  const graph::Type scalar{graph::Element::kF32, {}};
  const Value rate = graph.input(StepScalars::kRate, scalar),
              number = graph.input(StepScalars::kUpdate, scalar);
  std::vector<Trained> trained;
  std::map<std::string, std::vector<float>*> values;
  for (Parameter* parameter : trained_) {
    const std::string name = input_name(parameter->name);
    const graph::Type type{graph::Element::kF32, parameter->shape};
    trained.push_back({.parameter = parameter,
                       .value = graph.input(name, type),
                       .gradient = graph.input("d_" + name, type)});
    values[name] = &parameter->value;
    values["d_" + name] = &parameter->gradient;
  }
  const std::vector<std::size_t> slots =
      write_updates(graph, trained, optimizer, clip, rate, number);
  for (std::size_t i = 0; i < trained_.size(); ++i) {
    trained_[i]->need_slots(slots[i]);
    for (std::size_t s = 0; s < slots[i]; ++s) {
      values[slot_name(input_name(trained_[i]->name), s)] = &trained_[i]->slots[s];
    }
  }
  inputs_.clear();
  outputs_.assign(graph.outputs().size(), nullptr);
  for (const graph::Input& input : graph.inputs()) {
    const auto found = values.find(input.name);
    inputs_.push_back(found == values.end() ? nullptr : found->second);
    if (input.updated_by >= 0)
      outputs_[static_cast<std::size_t>(input.updated_by)] = inputs_.back();
  }
  program_ = std::make_unique<graph::CpuProgram>(graph, threads);
}

void Updates::run(std::span<Parameter* const> parameters, const Optimizer& optimizer,
                  std::optional<float> clip_norm, float rate, std::int64_t update, int threads) {
  std::vector<Parameter*> trained;
  std::ranges::copy_if(parameters, std::back_inserter(trained),
                       [](const Parameter* parameter) { return parameter->trained; });
  if (trained.empty()) return;
  if (!program_ || trained != trained_) {
    trained_ = std::move(trained);
    write(optimizer, clip_norm, threads);
  }
  const auto number = static_cast<float>(update);
  std::vector<const void*> inputs{&rate, &number};
  std::vector<void*> outputs;
  for (std::size_t i = inputs.size(); i < inputs_.size(); ++i) inputs.push_back(inputs_[i]->data());
  for (std::vector<float>* values : outputs_) outputs.push_back(values->data());
  program_->run(inputs, outputs);
  for (Parameter* parameter : trained_) ++parameter->version;
}

}  // namespace systole::nn
