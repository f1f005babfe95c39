#include "host/compiler/rewrites/plain_functions.h"

#include <limits>

#include "host/compiler/rewrites/rewrite.h"
#include "host/graph/attribute.h"
#include "host/graph/ops.h"

namespace systole::lowering {
namespace {

using graph::Element;
using graph::Value;

std::optional<Value> plain(const graph::Operation& operation, std::span<const Value> values) {
  const std::string_view name = operation.kind->name;
  if (name == "is_finite") {
    return compare(abs(values[operation.operands[0]]), "LT",
                   std::numeric_limits<double>::infinity());
  }
  if (name != "convert") return {};
  const Value x = values[operation.operands[0]];
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
