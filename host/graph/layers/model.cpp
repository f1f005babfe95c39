#include "host/graph/layers/model.h"

#include <algorithm>
#include <optional>

namespace systole::graph {

Value Model::weight(std::string_view name, const Shape& shape, const Initial& initial) {
  return variable(name, {Element::kF32, shape}, initial, true);
}

Value Model::state(std::string_view name, const Type& type, const Initial& initial) {
  return variable(name, type, initial, false);
}

Value Model::variable(std::string_view name, const Type& type, const Initial& initial,
                      bool trained) {
  std::string full = path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
  const Value value = graph_.input(full, type);
  variables_.push_back(
      {.name = std::move(full), .value = value, .initial = initial, .trained = trained});
  return value;
}

void Model::update(Value variable, Value updated) {
  const auto found =
      std::ranges::find(variables_, variable.id(), [](const Variable& v) { return v.value.id(); });
  if (found == variables_.end()) throw GraphError(fmt::format("{}: no variable to update", path_));
  found->updated = updated;
}

Value Model::layer(std::string_view kind, const std::function<Value()>& work) {
  const std::string outer = path_;
  std::string name = outer.empty() ? std::string(kind) : fmt::format("{}.{}", outer, kind);
  const int count = counts_[name]++;
  if (count > 0) name += fmt::format("_{}", count);
  const Graph::Scope scope(graph_,
                           std::string_view(name).substr(outer.empty() ? 0 : outer.size() + 1));
  path_ = std::move(name);
  const Value result = work();
  path_ = outer;
  return result;
}

Value apply(Model& model, const std::vector<Layer>& layers, Value x) {
  for (const Layer& layer : layers) x = layer(model, x);
  return x;
}

}  // namespace systole::graph
