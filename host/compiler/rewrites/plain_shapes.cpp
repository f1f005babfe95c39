#include "host/compiler/rewrites/plain_shapes.h"

#include <algorithm>

#include "host/compiler/rewrites/rewrite.h"
#include "host/graph/ops.h"

namespace systole::lowering {
namespace {

using graph::Integers;
using graph::Operation;
using graph::Shape;
using graph::Value;

std::optional<Value> plain_broadcast(Value x, const Shape& shape, const Integers& dimensions) {
  if (graph::element_count(shape) == graph::element_count(x.shape()) &&
      std::ranges::is_sorted(dimensions)) {
    return reshape(x, shape);
  }
  if (std::ranges::count(x.shape(), 1) == 0) return {};
  Shape kept;
  Integers places;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (x.shape()[i] == 1) continue;
    kept.push_back(x.shape()[i]);
    places.push_back(dimensions[i]);
  }
  return broadcast_in_dim(reshape(x, kept), shape, places);
}

}  // namespace

std::unique_ptr<graph::Graph> plain_shapes(const graph::Graph& graph) {
  const auto rule = [&](const Operation& operation,
                        std::span<const Value> values) -> std::optional<Value> {
    const Shape& shape = graph.type(operation.results[0]).shape;
    if (operation.kind->name == "broadcast_in_dim") {
      return plain_broadcast(values[operation.operands[0]], shape,
                             std::get<Integers>(operation.attributes[0]));
    }
    if (operation.kind->name != "reduce") return {};
    const Value x = values[operation.operands[0]];
    const bool is_plain = graph.call(operation).word("body") == "and" &&
                          graph.splat(operation.operands[1]) == 1 &&
                          graph::element_count(x.shape()) == graph::element_count(shape);
    return is_plain ? std::optional(reshape(x, shape)) : std::nullopt;
  };
  return rewrite(graph, rule);
}

}  // namespace systole::lowering
