#include "host/nn/layers/builder.h"

#include <fmt/format.h>

#include <algorithm>

namespace systole::nn {

Initial constantly(float value) {
  return [value](std::span<float> values, Generator&) { std::ranges::fill(values, value); };
}

std::string input_name(std::string_view parameter) {
  std::string name = fmt::format("_{}", parameter);
  std::ranges::replace(name, '/', '.');
  return name;
}

Value Builder::weight(std::string_view name, const Shape& shape, const Initial& initial) {
  return variable(name, shape, initial, true);
}

Value Builder::state(std::string_view name, const Shape& shape, float start) {
  return variable(name, shape, constantly(start), false);
}

Value Builder::variable(std::string_view name, const Shape& shape, const Initial& initial,
                        bool trained) {
  std::string full = fmt::format("{}{}", path_, name);
  const Value value = graph_.input(input_name(full), {graph::Element::kF32, shape});
  auto found = std::ranges::find(parameters_, full, &Parameter::name);
  if (found == parameters_.end()) {
    parameters_.emplace_back(std::move(full), shape);
    found = std::prev(parameters_.end());
    found->trained = trained;
    initial(found->value, generator_);
  }
  variables_.push_back({.parameter = &*found, .value = value});
  return value;
}

void Builder::update(Value state, Value updated) {
  const auto found =
      std::ranges::find(variables_, state.id(), [](const Variable& v) { return v.value.id(); });
  if (found == variables_.end()) {
    throw graph::GraphError(fmt::format("{}: no such state to update", graph_.scope()));
  }
  found->updated = updated;
}

Value Builder::scalar(std::string_view name) {
  const auto found = std::ranges::find(graph_.inputs(), name, &graph::Input::name);
  return found != graph_.inputs().end() ? graph_.value(found->value)
                                        : graph_.input(name, {graph::Element::kF32, {}});
}

std::uint64_t Builder::seed() { return seeds_.next(); }

void Builder::start_from(std::uint64_t seed, std::uint64_t stream) {
  constexpr std::uint64_t kSeeds = std::uint64_t{1} << 32;  // after every layer's stream
  generator_ = Generator(seed, stream);
  seeds_ = Generator(seed, stream + kSeeds);
}

Builder::Scope::Scope(Builder& builder, std::string_view prefix)
    : builder_(builder),
      length_(builder.path_.size()),
      graph_scope_(builder.graph_, prefix.substr(0, prefix.size() - 1)) {
  builder_.path_ += prefix;
}

}  // namespace systole::nn
