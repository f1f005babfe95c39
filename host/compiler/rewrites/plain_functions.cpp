#include "host/compiler/rewrites/plain_functions.h"

#include <limits>

#include "host/compiler/rewrites/rewrite.h"
#include "host/graph/attribute.h"
#include "host/graph/ops.h"

namespace systole::lowering {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Value floor(Value x) { return x.graph().add("floor", {x}); }

/// The logarithm of the rounded u = 1 + x, by x / (u - 1) longer (Kahan).
Value plain_log_plus_one(Value x) {
  const Value u = x + 1, rest = u - 1, is_small = compare(u, "EQ", 1);
  const Value is_exact = compare(rest, "EQ", x), from = log(u);
  return select(is_small, x, select(is_exact, from, from * (x / rest)));
}

/// Halves away from zero.
Value plain_round(Value x) {
  const Value size = abs(x), below = floor(size);
  return select(compare(size - below, "GE", 0.5), below + 1, below) * sign(x);
}

/// A function of floats in others; nothing if the device has it, or none of them.
std::optional<Value> plain_float(std::string_view name, Value x) {
  if (name == "is_finite") return compare(abs(x), "LT", kInfinity);
  if (name == "ceil") return -floor(-x);
  if (name == "round_nearest_afz") return plain_round(x);
  if (name == "tan") return sine(x) / cosine(x);
  if (name == "log_plus_one") return plain_log_plus_one(x);
  if (name == "exponential_minus_one") return tanh(x * 0.5) * (exponential(x) + 1);
  return {};
}

std::optional<Value> plain_integer(std::string_view name, Value x) {
  if (name == "abs") return maximum(x, -x);
  if (name == "sign") return clamp(constant_like(x, -1), x, constant_like(x, 1));
  return {};
}

std::optional<Value> plain(const graph::Operation& operation, std::span<const Value> values) {
  const std::string_view name = operation.kind->name;
  if (operation.operands.size() != 1) return {};
  const Value x = values[operation.operands[0]];
  if (x.type().element == Element::kF32) return plain_float(name, x);
  if (x.type().element == Element::kS32 && name != "convert") return plain_integer(name, x);
  if (name != "convert") return {};
  const Element to = graph::attribute<graph::Type>(operation, "type").element;
  if (x.type().element != Element::kS32 || to != Element::kS8) return {};
  const auto bits = [&](double mask) {
    const Value mask_of_x = broadcast_to(graph::constant_like(x, mask), x.shape());
    return x.graph().add("and", {x, mask_of_x});
  };
  return convert(bits(255) - bits(128) * 2, to);
}

}  // namespace

std::unique_ptr<graph::Graph> plain_functions(const graph::Graph& graph) {
  return rewrite(graph, plain);
}

}  // namespace systole::lowering
