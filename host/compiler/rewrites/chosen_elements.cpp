#include "host/compiler/rewrites/chosen_elements.h"

#include <algorithm>

#include "host/compiler/rewrites/rewrite.h"
#include "host/graph/attribute.h"
#include "host/graph/indexing.h"
#include "host/graph/known_values.h"
#include "host/graph/ops.h"

namespace systole::lowering {
namespace {

using graph::Element;
using graph::Graph;
using graph::Integers;
using graph::Operation;
using graph::Shape;
using graph::Value;

/// Whether numbers are each row's place along dimension `d` of a table.
bool counts(const graph::Literal* numbers, const Shape& table, std::size_t d) {
  if (numbers == nullptr) return false;
  std::int64_t step = 1;  // rows from place to place
  for (std::size_t i = d + 1; i + 1 < table.size(); ++i) step *= table[i];
  const std::int64_t rows = graph::element_count(numbers->type.shape);
  for (std::int64_t row = 0; row < rows; ++row) {
    if (numbers->at(row) != static_cast<double>(row / step % table[d])) return false;
  }
  return true;
}

/// The number for each row of `table` that vectors of the row's places and a number hold; nothing
/// if they are others.
std::optional<Value> numbers_of_rows(Value vectors, const Shape& table,
                                     std::int64_t vector_dimension) {
  const Graph& graph = vectors.graph();
  const Operation* joined = graph.maker(vectors.id());
  const std::int64_t rows = graph::element_count(table) / std::max<std::int64_t>(table.back(), 1);
  if (joined == nullptr || joined->kind->name != "concatenate" ||
      joined->operands.size() != table.size() ||
      graph::attribute<std::int64_t>(*joined, "dimension") != vector_dimension) {
    return {};
  }
  graph::KnownValues known(graph, rows);
  for (std::size_t d = 0; d < table.size(); ++d) {
    if (graph::element_count(graph.type(joined->operands[d]).shape) != rows) return {};
    if (d + 1 < table.size() && !counts(known.find(joined->operands[d]), table, d)) return {};
  }
  return reshape(vectors.graph().value(joined->operands.back()), {rows});
}

/// Whether vectors of an element's places choose single elements.
bool chooses_elements(const graph::Call& call, const Shape& table) {
  const graph::Indexing how = graph::indexing_of(call);
  const Integers all = graph::counting(std::ssize(table));
  return table.size() >= 2 && how.window.empty() && how.collapsed == all && how.map == all;
}

Value is_chosen(Value numbers, const Shape& table) {
  const Value columns = iota(numbers.graph(), {numbers.type().element, table}, 1);
  return compare(columns, "EQ", broadcast_in_dim(numbers, table, {0}));
}

std::optional<Value> rewritten(const graph::Call& call, std::span<const Value> x,
                               const Shape& result) {
  const bool gathers = call.kind.name == "gather", scatters = call.kind.name == "scatter";
  if ((!gathers && !scatters) || x[0].type().element != Element::kF32) return {};
  if (!chooses_elements(call, x[0].shape()) || (scatters && call.word("body") != "add")) return {};
  const auto numbers =
      numbers_of_rows(x[1], x[0].shape(), graph::indexing_of(call).vector_dimension);
  if (!numbers) return {};
  const Shape table = {numbers->dimension(0), x[0].shape().back()};
  const Value zero = broadcast_in_dim(constant(x[0].graph(), {Element::kF32, {}}, 0), table, {});
  if (gathers) {
    const auto last = static_cast<double>(table[1] - 1);
    const Value inside = clamp(constant_like(*numbers, 0), *numbers, constant_like(*numbers, last));
    const Value rows = reshape(x[0], table);
    return reshape(sum(select(is_chosen(inside, table), rows, zero), {1}), result);
  }
  const Value updates = broadcast_in_dim(reshape(x[2], {table[0]}), table, {0});
  return x[0] + reshape(select(is_chosen(*numbers, table), updates, zero), x[0].shape());
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
