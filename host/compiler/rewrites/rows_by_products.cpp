#include "host/compiler/rewrites/rows_by_products.h"

#include <algorithm>

#include "host/compiler/rewrites/rewrite.h"
#include "host/graph/indexing.h"
#include "host/graph/ops.h"

namespace systole::lowering {
namespace {

/// The numbers of a call as they lie in what belongs to them; nothing if they do not choose whole
/// rows of a table, or come after these there.
std::optional<Shape> numbers_of_rows(const graph::Call& call, const Shape& table, Shape numbers) {
  const graph::Indexing how = graph::indexing_of(call);
  if (how.vector_dimension < std::ssize(numbers)) {
    numbers.erase(numbers.begin() + how.vector_dimension);
  }
  graph::Integers window = graph::counting(std::ssize(table) - 1);
  for (std::int64_t& d : window) d += std::ssize(numbers);
  const bool are_rows = table.size() >= 2 && how.window == window &&
                        how.collapsed == graph::Integers{0} && how.map == graph::Integers{0};
  return are_rows ? std::optional(numbers) : std::nullopt;
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
  const Shape table = x[0].shape();
  auto shape = numbers_of_rows(call, table, x[1].shape());
  if (!shape) return {};
  const Shape flat = {table[0], graph::element_count(table) / std::max<std::int64_t>(table[0], 1)};
  if (gathers) {
    graph::Integers sizes = table;
    sizes[0] = 1;
    if (call.integers("slice_sizes") != sizes) return {};
    shape->insert(shape->end(), table.begin() + 1, table.end());
    const Value rows = reshape(x[0], flat);
    return reshape(matmul(chosen(nearest(x[1], flat[0]), flat[0]), rows), *shape);
  }
  if (call.word("body") != "add") return {};
  const Value ones = chosen(x[1], flat[0]);
  const Value updates = reshape(x[2], {ones.dimension(0), flat[1]});
  const Value sums = dot_general(ones, updates, {.lhs_contracting = {0}, .rhs_contracting = {0}});
  return x[0] + reshape(sums, table);
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
