#include "host/nn/training/updates.h"

#include <fmt/format.h>

#include <algorithm>

namespace systole::nn {

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

void Updates::write(const Optimizer& optimizer, std::optional<float> clip, int threads) {
  graph::Graph graph;
  const graph::Type scalar{graph::Element::kF32, {}};
  const Value rate = graph.input("learning_rate", scalar), step = graph.input("step", scalar);
  std::vector<Value> values, gradients;
  for (const Parameter* parameter : trained_) {
    const std::string name = input_name(parameter->name);
    const graph::Type type{graph::Element::kF32, parameter->shape};
    values.push_back(graph.input(name, type));
    gradients.push_back(graph.input("d" + name, type));
  }
  if (clip) gradients = clip_norm(gradients, *clip);
  std::vector<std::size_t> slots;
  for (std::size_t i = 0; i < trained_.size(); ++i) {
    const std::string name = input_name(trained_[i]->name);
    std::vector<Value> own;
    const auto slot = [&] {
      return own.emplace_back(
          graph.input(fmt::format("{}.slot{}", name, own.size()), values[i].type()));
    };
    const auto keep = [&](Value old, Value next) {
      const auto place = std::ranges::find(own, old.id(), &Value::id) - own.begin();
      graph.update(old, fmt::format("{}.slot{}.next", name, place), next);
    };
    const Update update{.value = values[i],
                        .gradient = gradients[i],
                        .learning_rate = rate,
                        .step = step,
                        .slot = slot,
                        .keep = keep};
    const Value next = std::visit([&](const auto& one) { return one(update); }, optimizer);
    graph.update(values[i], name + ".next", next);
    slots.push_back(own.size());
  }
  program_ = std::make_unique<Program>(graph, nullptr, threads);
  for (std::size_t i = 0; i < trained_.size(); ++i) {
    Parameter& parameter = *trained_[i];
    const std::string name = input_name(parameter.name);
    program_->read(name, parameter.value);
    program_->read("d" + name, parameter.gradient);
    program_->write(name + ".next", parameter.value);
    parameter.need_slots(slots[i]);
    for (std::size_t s = 0; s < slots[i]; ++s) {
      program_->read(fmt::format("{}.slot{}", name, s), parameter.slots[s]);
      program_->write(fmt::format("{}.slot{}.next", name, s), parameter.slots[s]);
    }
  }
}

void Updates::run(std::span<Parameter* const> parameters, const Optimizer& optimizer,
                  std::optional<float> clip_norm, float rate, std::int64_t step, int threads) {
  std::vector<Parameter*> trained;
  std::ranges::copy_if(parameters, std::back_inserter(trained),
                       [](const Parameter* parameter) { return parameter->trained; });
  if (trained.empty()) return;
  if (!program_ || trained != trained_) {
    trained_ = std::move(trained);
    write(optimizer, clip_norm, threads);
  }
  const auto number = static_cast<float>(step);
  program_->read("learning_rate", &rate);
  program_->read("step", &number);
  program_->run();
  for (Parameter* parameter : trained_) ++parameter->version;
}

}  // namespace systole::nn
