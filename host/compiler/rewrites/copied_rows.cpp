#include "host/compiler/rewrites/copied_rows.h"

#include <map>
#include <vector>

#include "host/compiler/kernels/kernel_writer.h"
#include "host/compiler/rewrites/rewrite.h"
#include "host/compiler/rewrites/separate_outputs.h"
#include "host/graph/attribute.h"
#include "host/graph/ops.h"

namespace systole::lowering {
namespace {

/// By value: whether anything but products reads it, or a reshape of it.
std::vector<bool> find_read(const Graph& graph) {
  std::vector<bool> is_read(graph.value_count());
  for (std::size_t i = graph.operations().size(); i-- > 0;) {
    const Operation& operation = graph.operations()[i];
    const std::string_view name = operation.kind->name;
    const bool reads = name == "reshape" ? is_read[operation.results[0]] : name != "dot_general";
    for (const int operand : operation.operands) is_read[operand] = is_read[operand] || reads;
  }
  return is_read;
}

/// The part of another value that `value` is, if its rows do not lie one after the other.
std::optional<Slice> apart(const Graph& graph, int value) {
  const Operation* maker = graph.maker(value);
  const auto slice = maker == nullptr ? std::nullopt : slice_of(graph, *maker);
  return slice && !slice->is_dense() ? slice : std::nullopt;
}

}  // namespace

std::unique_ptr<Graph> copy_rows(const Graph& graph) {
  const std::vector<bool> is_read = find_read(graph);
  std::map<int, Value> copies;
  const auto rule = [&](const Operation& operation,
                        std::span<const Value> values) -> std::optional<Value> {
    const std::string_view name = operation.kind->name;
    const bool reshapes = name == "reshape";
    const bool spreads =
        name == "broadcast_in_dim" && !is_copy(graph, operation) && !slice_of(graph, operation);
    if ((!reshapes && !spreads) || !is_read[operation.results[0]]) return {};
    const int base = graph.before_reshapes(operation.operands[0]);
    const auto slice = apart(graph, base);
    const Shape& shape = graph.type(operation.results[0]).shape;
    if (!slice || (reshapes && !shape.empty() && shape.back() == slice->cols)) return {};
    const auto [copy, is_new] = copies.try_emplace(base);
    if (is_new) {
      const Value whole = values[base];
      copy->second = broadcast_in_dim(whole, whole.shape(), graph::counting(whole.type().rank()));
    }
    if (reshapes) return reshape(copy->second, shape);
    return broadcast_in_dim(reshape(copy->second, graph.type(operation.operands[0]).shape), shape,
                            graph::attribute<graph::Integers>(operation, "broadcast_dimensions"));
  };
  return rewrite(graph, rule, Simplifies::kNo);
}

}  // namespace systole::lowering
