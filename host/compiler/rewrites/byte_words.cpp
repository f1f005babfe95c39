#include "host/compiler/rewrites/byte_words.h"

#include <algorithm>
#include <array>

#include "host/graph/ops.h"

namespace systole::lowering {
namespace {

using graph::Attribute;
using graph::Element;
using graph::Graph;
using graph::Literal;
using graph::Operation;
using graph::Type;
using graph::Value;

// These may give more than eight bits of 0 to 255.
constexpr std::array kWraps{"add",    "subtract",      "multiply",   "negate",
                            "not",    "power",         "shift_left", "divide",
                            "reduce", "reduce_window", "scatter",    "iota"};

Type as_word(const Type& type) {
  return {type.element == Element::kU8 ? Element::kS32 : type.element, type.shape};
}

Attribute as_word(Attribute attribute) {
  if (auto* type = std::get_if<Type>(&attribute)) *type = as_word(*type);
  if (auto* literal = std::get_if<Literal>(&attribute)) literal->type = as_word(literal->type);
  return attribute;
}

Value bits(const char* name, Value x, double bits_of_other) {
  const Value other = broadcast_to(graph::constant_like(x, bits_of_other), x.shape());
  return x.graph().add(name, {x, other});
}

Value wrapped(Value x) { return bits("and", x, 255); }

Value converted(Value x, Element from, Element to) {
  if (from == Element::kU8) {
    return to == Element::kPred ? compare(x, "NE", 0) : convert(x, as_word(Type{to}).element);
  }
  if (graph::is_float(from)) {  // saturates
    const Value number = convert(x, Element::kF32);
    const Value least = graph::constant_like(number, 0), most = graph::constant_like(number, 255);
    return convert(clamp(least, number, most), Element::kS32);
  }
  return from == Element::kPred ? convert(x, Element::kS32) : wrapped(convert(x, Element::kS32));
}

std::vector<Value> rewritten(Graph& to, const Graph& from, const Operation& operation,
                             const std::vector<Value>& operands) {
  const std::string_view name = operation.kind->name;
  if (name == "convert" || name == "bitcast_convert") {
    return {converted(operands[0], from.type(operation.operands[0]).element,
                      from.type(operation.results[0]).element)};
  }
  if (name == "shift_right_arithmetic") {
    const Value is_signed = bits("xor", operands[0], 128) - 128;
    return {wrapped(to.add(name, {is_signed, operands[1]}))};
  }
  std::vector<Attribute> attributes;
  for (const Attribute& attribute : operation.attributes) attributes.push_back(as_word(attribute));
  std::vector<Value> results = to.add(*operation.kind, operands, std::move(attributes));
  if (name == "count_leading_zeros") results[0] = results[0] - 24;
  if (std::ranges::count(kWraps, name) == 0) return results;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (from.type(operation.results[i]).element == Element::kU8) results[i] = wrapped(results[i]);
  }
  return results;
}

}  // namespace

std::unique_ptr<Graph> bytes_as_words(const Graph& graph) {
  const auto is_byte = [&](int value) { return graph.type(value).element == Element::kU8; };
  const auto has_bytes = [&](const Operation& operation) {
    return std::ranges::any_of(operation.operands, is_byte) ||
           std::ranges::any_of(operation.results, is_byte);
  };
  const bool is_there = std::ranges::any_of(graph.inputs(), is_byte, &graph::Input::value) ||
                        std::ranges::any_of(graph.operations(), has_bytes);
  if (!is_there) return nullptr;
  auto result = std::make_unique<Graph>();
  std::vector<Value> values(static_cast<std::size_t>(graph.value_count()));
  for (const graph::Input& input : graph.inputs()) {
    values[static_cast<std::size_t>(input.value)] =
        result->input(input.name, as_word(graph.type(input.value)));
  }
  for (const Operation& operation : graph.operations()) {
    const Graph::Scope layer(*result, operation.scope);
    if (!has_bytes(operation)) {
      result->add_as(operation, values);
      continue;
    }
    std::vector<Value> operands;
    for (const int operand : operation.operands) {
      operands.push_back(values[static_cast<std::size_t>(operand)]);
    }
    const std::vector<Value> made = rewritten(*result, graph, operation, operands);
    for (std::size_t i = 0; i < made.size(); ++i) {
      values[static_cast<std::size_t>(operation.results[i])] = made[i];
    }
  }
  result->output_as(graph, values);
  return result;
}

}  // namespace systole::lowering
