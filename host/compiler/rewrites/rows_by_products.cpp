#include "host/compiler/rewrites/rows_by_products.h"

#include <algorithm>

#include "host/compiler/rewrites/rewrite.h"
#include "host/graph/indexing.h"
#include "host/graph/ops.h"

namespace systole::lowering {
namespace {

using graph::Element;
using graph::Graph;
using graph::Operation;
using graph::Shape;
using graph::Value;

/// Whether numbers choose whole rows of a table, and what belongs to them has them first.
bool chooses_rows(const graph::Call& call, const Shape& table, const Shape& numbers) {
  const graph::Indexing how = graph::indexing_of(call);
  const auto rank = std::ssize(numbers);
  return table.size() == 2 && rank > 0 && how.vector_dimension == rank &&
         how.window == graph::Integers{rank} && how.collapsed == graph::Integers{0} &&
         how.map == graph::Integers{0};
}

Value nearest(Value numbers, std::int64_t rows) {
  const auto last = static_cast<double>(rows - 1);
  return clamp(constant_like(numbers, 0), numbers, constant_like(numbers, last));
}

/// [numbers, rows]: a one where the number is the row's, zeros elsewhere.
Value chosen(Value numbers, std::int64_t rows) {
  const Shape shape = {graph::element_count(numbers.shape()), rows};
  const Value row = reshape(numbers, {shape[0]});
  const Value all = iota(row.graph(), {row.type().element, shape}, 1);
  return convert(compare(all, "EQ", broadcast_in_dim(row, shape, {0})), Element::kF32);
}

/// The rewritten operation; nothing if it is another.
std::optional<Value> rewritten(const graph::Call& call, std::span<const Value> x) {
  const std::string_view name = call.kind.name;
  const bool gathers = name == "gather", scatters = name == "scatter";
  if ((!gathers && !scatters) || x[0].type().element != Element::kF32) return {};
  const Shape& table = x[0].shape();
  if (!chooses_rows(call, table, x[1].shape())) return {};
  if (gathers) {
    if (call.integers("slice_sizes") != graph::Integers{1, table[1]}) return {};
    Shape shape = x[1].shape();
    shape.push_back(table[1]);
    return reshape(matmul(chosen(nearest(x[1], table[0]), table[0]), x[0]), shape);
  }
  if (call.word("body") != "add") return {};
  const Value ones = chosen(x[1], table[0]);
  const Value updates = reshape(x[2], {ones.dimension(0), table[1]});
  return x[0] + dot_general(ones, updates, {.lhs_contracting = {0}, .rhs_contracting = {0}});
}

}  // namespace

std::unique_ptr<Graph> rows_by_products(const Graph& graph) {
  return rewrite(graph, [&](const Operation& operation, std::span<const Value> values) {
    std::vector<Value> operands;
    for (const int operand : operation.operands) operands.push_back(values[operand]);
    return rewritten(graph.call(operation), operands);
  });
}

}  // namespace systole::lowering
