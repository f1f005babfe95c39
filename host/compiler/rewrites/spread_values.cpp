#include "host/compiler/rewrites/spread_values.h"

#include "host/graph/ops.h"

namespace systole::lowering {

using graph::Element;
using graph::Operation;
using graph::Value;

bool SpreadValues::is_zero(int value) const { return graph_.splat(value) == 0; }

int SpreadValues::of(int value) const {
  std::vector<int> parts;
  find_parts(value, parts);
  while (merge_two(parts)) {
  }
  return parts.size() == 1 ? parts[0] : graph_.before_reshapes(value);
}

bool SpreadValues::merge_two(std::vector<int>& parts) const {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (std::size_t j = i + 1; j < parts.size(); ++j) {
      const int chosen = parts[i] == parts[j] ? parts[i] : chosen_of(parts[i], parts[j]);
      if (chosen < 0) continue;
      parts[i] = chosen;
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(j));
      return true;
    }
  }
  return false;
}

// What is joined, before reshapes; no zeros.
void SpreadValues::find_parts(int value, std::vector<int>& parts) const {
  const int base = graph_.before_reshapes(value);
  const Operation* operation = graph_.maker(base);
  if (is_zero(base)) return;
  const bool joins = operation != nullptr && operation->kind->name == "concatenate";
  bool pads =
      operation != nullptr && operation->kind->name == "pad" && is_zero(operation->operands[1]);
  if (pads) {
    const graph::Call call = graph_.call(*operation);
    for (const char* side : {"edge_padding_low", "edge_padding_high"}) {
      for (const std::int64_t size : call.integers(side)) pads = pads && size >= 0;
    }
  }
  if (!joins && !pads) return parts.push_back(base);
  const std::size_t count = pads ? 1 : operation->operands.size();
  for (std::size_t i = 0; i < count; ++i) find_parts(operation->operands[i], parts);
}

// a, of select(p, a, 0) and select(p, 0, a) in either order; -1 for others.
int SpreadValues::chosen_of(int a, int b) const {
  const Operation *one = graph_.maker(a), *other = graph_.maker(b);
  if (one == nullptr || other == nullptr || one->kind->name != "select" ||
      other->kind->name != "select" ||
      graph_.before_reshapes(one->operands[0]) != graph_.before_reshapes(other->operands[0])) {
    return -1;
  }
  if (is_zero(one->operands[1])) std::swap(one, other);
  const int chosen = graph_.before_reshapes(one->operands[1]);
  const bool is_halved = is_zero(one->operands[2]) && is_zero(other->operands[1]) &&
                         graph_.before_reshapes(other->operands[2]) == chosen;
  return is_halved ? chosen : -1;
}

Value SpreadValues::rewritten(int value, int spread, Value elements,
                              std::span<const Value> values) const {
  const graph::Type& type = graph_.type(value);
  graph::Graph& graph = elements.graph();
  const Value zero = constant(graph, {Element::kS8, {}}, 0);
  if (is_zero(value)) return broadcast_to(zero, type.shape);
  const Operation* operation = graph_.maker(value);
  const std::string_view name = operation == nullptr ? "" : operation->kind->name;
  const auto inner = [&](int operand) { return rewritten(operand, spread, elements, values); };
  if (value != spread && name == "reshape") {
    return reshape(inner(operation->operands[0]), type.shape);
  }
  if (value != spread && name == "pad") {
    const Value operands[] = {inner(operation->operands[0]), zero};
    return graph.add(*operation, operands)[0];
  }
  if (value != spread && name == "concatenate") {
    std::vector<Value> operands;
    for (const int operand : operation->operands) operands.push_back(inner(operand));
    return graph.add(*operation, operands)[0];
  }
  return convert(part(value, spread, elements, values), Element::kS8);
}

Value SpreadValues::part(int value, int spread, Value elements,
                         std::span<const Value> values) const {
  if (value == spread) return elements;
  const graph::Type& type = graph_.type(value);
  if (is_zero(value)) {
    return broadcast_to(constant(elements.graph(), {Element::kS32, {}}, 0), type.shape);
  }
  const Operation& operation = *graph_.maker(value);
  if (operation.kind->name == "reshape") {
    return reshape(part(operation.operands[0], spread, elements, values), type.shape);
  }
  return select(values[operation.operands[0]],
                part(operation.operands[1], spread, elements, values),
                part(operation.operands[2], spread, elements, values));
}

}  // namespace systole::lowering
