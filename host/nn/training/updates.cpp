#include "host/nn/training/updates.h"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace systole::nn
