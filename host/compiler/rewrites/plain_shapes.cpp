#include "host/compiler/rewrites/plain_shapes.h"

#include <algorithm>

#include "host/compiler/rewrites/rewrite.h"
#include "host/graph/attribute.h"
#include "host/graph/indexing.h"
#include "host/graph/known_values.h"
#include "host/graph/ops.h"

namespace systole::lowering {
namespace {

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

/// A slice where the one index is known.
std::optional<Value> plain_gather(const graph::Call& call, Value x, const graph::Literal* start,
                                  const Shape& shape) {
  if (start == nullptr) return {};
  const graph::Indexing how = graph::indexing_of(call);
  const Integers& sizes = call.integers("slice_sizes");
  if (graph::element_count(start->type.shape) != std::ssize(how.map) ||
      graph::element_count(shape) != graph::element_count(sizes)) {
    return {};
  }
  Integers first(sizes.size(), 0), limit = sizes;
  for (std::size_t i = 0; i < how.map.size(); ++i) {
    const auto d = static_cast<std::size_t>(how.map[i]);
    const auto at = static_cast<std::int64_t>(start->at(static_cast<std::int64_t>(i)));
    first[d] = std::clamp<std::int64_t>(at, 0, x.shape()[d] - sizes[d]);
    limit[d] += first[d];
  }
  return reshape(slice(x, first, limit), shape);
}

}  // namespace

std::unique_ptr<graph::Graph> plain_shapes(const graph::Graph& graph) {
  graph::KnownValues known(graph);
  const auto rule = [&](const Operation& operation,
                        std::span<const Value> values) -> std::optional<Value> {
    const Shape& shape = graph.type(operation.results[0]).shape;
    if (operation.kind->name == "broadcast_in_dim") {
      return plain_broadcast(values[operation.operands[0]], shape,
                             graph::attribute<Integers>(operation, "broadcast_dimensions"));
    }
    if (operation.kind->name == "gather") {
      return plain_gather(graph.call(operation), values[operation.operands[0]],
                          known.find(operation.operands[1]), shape);
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
