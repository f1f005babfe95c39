#include "host/compiler/rewrites/split_reductions.h"

#include <algorithm>

#include "host/compiler/rewrites/rewrite.h"
#include "host/graph/ops.h"
#include "systole/support/ceil_div.h"

namespace systole::lowering {
namespace {

bool is_long(const Graph& graph, const Operation& operation, std::int64_t most) {
  if (operation.kind->name != "reduce") return false;
  const graph::Shape& from = graph.type(operation.operands[0]).shape;
  return from.size() > 1 && from.back() > most &&
         graph.call(operation).integers("dimensions") == Integers{std::ssize(from) - 1};
}

Value combined(std::string_view body, Value a, Value b) {
  if (body == "maximum") return maximum(a, b);
  return body == "minimum" ? graph::minimum(a, b) : a.graph().add(body, {a, b});
}

Value split(const graph::Call& call, Value x, Value start, std::int64_t most) {
  const std::string& body = call.word("body");
  call.need(body != "multiply",
            "the device adds rows of more than {} elements up, or takes their maximum or minimum",
            most);
  const std::int64_t last = x.type().rank() - 1, size = x.dimension(last);
  const std::int64_t parts = ceil_div(size, most), step = ceil_div(size, parts);
  Value result = {};
  for (std::int64_t first = 0; first < size; first += step) {
    const Value part = take(x, last, first, std::min(first + step, size));
    // The other bodies may start more than once.
    const Value from = result && body == "add" ? constant_like(start, 0) : start;
    const Value reduced = reduce(part, from, body, {last});
    result = result ? combined(body, result, reduced) : reduced;
  }
  return result;
}

}  // namespace

std::unique_ptr<Graph> split_reductions(const Graph& graph, std::int64_t most) {
  return rewrite(
      graph,
      [&](const Operation& operation, std::span<const Value> values) -> std::optional<Value> {
        if (!is_long(graph, operation, most)) return {};
        return split(graph.call(operation), values[operation.operands[0]],
                     values[operation.operands[1]], most);
      });
}

}  // namespace systole::lowering
