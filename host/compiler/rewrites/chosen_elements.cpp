#include "host/compiler/rewrites/chosen_elements.h"

#include "host/compiler/rewrites/rewrite.h"
#include "host/graph/indexing.h"
#include "host/graph/ops.h"

namespace systole::lowering {
namespace {

using graph::Element;
using graph::Graph;
using graph::Integers;
using graph::Operation;
using graph::Shape;
using graph::Value;

/// The number for each row of `table` that pairs of row and number hold; nothing if they are
/// others.
std::optional<Value> numbers_of_rows(Value pairs, const Shape& table) {
  const Graph& graph = pairs.graph();
  const Operation* joined = graph.maker(pairs.id());
  if (joined == nullptr || joined->kind->name != "concatenate" || joined->operands.size() != 2) {
    return {};
  }
  const Operation* rows = graph.maker(joined->operands[0]);
  const Value numbers = pairs.graph().value(joined->operands[1]);
  const auto dimension = std::get<std::int64_t>(joined->attributes[0]);
  const bool counts_rows = rows != nullptr && rows->kind->name == "iota" &&
                           graph.call(*rows).get<std::int64_t>("iota_dimension") == 0;
  if (!counts_rows || dimension + 1 != pairs.type().rank() ||
      graph::element_count(numbers.shape()) != table[0] || numbers.dimension(0) != table[0]) {
    return {};
  }
  return reshape(numbers, {table[0]});
}

/// Whether pairs of row and column choose single elements.
bool chooses_elements(const graph::Call& call, const Shape& table) {
  const graph::Indexing how = graph::indexing_of(call);
  return table.size() == 2 && how.window.empty() && how.collapsed == Integers{0, 1} &&
         how.map == Integers{0, 1};
}

Value is_chosen(Value numbers, const Shape& table) {
  const Value columns = iota(numbers.graph(), {numbers.type().element, table}, 1);
  return compare(columns, "EQ", broadcast_in_dim(numbers, table, {0}));
}

std::optional<Value> rewritten(const graph::Call& call, std::span<const Value> x,
                               const Shape& result) {
  const bool gathers = call.kind.name == "gather", scatters = call.kind.name == "scatter";
  if ((!gathers && !scatters) || x[0].type().element != Element::kF32) return {};
  const Shape& table = x[0].shape();
  if (!chooses_elements(call, table) || (scatters && call.word("body") != "add")) return {};
  const auto numbers = numbers_of_rows(x[1], table);
  if (!numbers) return {};
  const Value zero = broadcast_in_dim(constant(x[0].graph(), {Element::kF32, {}}, 0), table, {});
  if (gathers) {
    const auto last = static_cast<double>(table[1] - 1);
    const Value inside = clamp(constant_like(*numbers, 0), *numbers, constant_like(*numbers, last));
    return reshape(sum(select(is_chosen(inside, table), x[0], zero), {1}), result);
  }
  const Value updates = broadcast_in_dim(reshape(x[2], {table[0]}), table, {0});
  return x[0] + select(is_chosen(*numbers, table), updates, zero);
}

}  // namespace

std::unique_ptr<Graph> chosen_elements(const Graph& graph) {
  return rewrite(graph, [&](const Operation& operation, std::span<const Value> values) {
    std::vector<Value> operands;
    for (const int operand : operation.operands) operands.push_back(values[operand]);
    return rewritten(graph.call(operation), operands, graph.type(operation.results[0]).shape);
  });
}

}  // namespace systole::lowering
