#include "host/lowering/extents.h"

#include <algorithm>

#include "host/lowering/element_operations.h"

namespace systole::lowering {

using graph::Call;
using graph::Integers;
using graph::Operation;

bool reduces_nothing(const graph::Graph& graph, const Operation& operation) {
  return operation.kind->name == "reduce" &&
         graph::element_count(graph.type(operation.operands[0]).shape) ==
             graph::element_count(graph.type(operation.results[0]).shape);
}

bool adds_rows(const graph::Graph& graph, const Operation& operation) {
  if (operation.kind->name != "reduce" || reduces_nothing(graph, operation)) return false;
  const auto rank = graph.type(operation.operands[0]).rank();
  return std::get<Integers>(operation.attributes[0]) != Integers{rank - 1} || rank == 1;
}

Extents::Extents(const Surroundings& around, std::span<const Root> roots)
    : around_(around), roots_(roots) {
  std::map<int, bool> seen;
  for (const Root& root : roots) visit(root.value, seen);
  for (const Root& root : roots) widen(around_.graph.type(root.value).shape);
  for (const Root& root : roots) assign_root(root.value);
}

bool Extents::is_read(int value) const {
  const auto root = std::ranges::find(roots_, value, &Root::value);
  return around_.in_memory[value] && (root == roots_.end() || root->copies);
}

// In every lane without a stream.
bool Extents::is_known(int value) const {
  return around_.in_table[value] || around_.graph.splat(value).has_value();
}

// Counts uses, and finds the shape whose rows and columns the kernel goes through: the largest that
// is broadcast to or reduced.
void Extents::visit(int value, std::map<int, bool>& seen) {
  if (seen[value] || is_known(value) || is_read(value)) return;
  seen[value] = true;
  const Operation* operation = around_.graph.maker(value);
  if (operation == nullptr) return;
  const std::string_view name = operation->kind->name;
  if (name == "broadcast_in_dim") widen(around_.graph.type(value).shape);
  if (name == "reduce") widen(around_.graph.type(operation->operands[0]).shape);
  for (const int operand : operation->operands) {
    ++uses_[operand];
    visit(operand, seen);
  }
}

void Extents::widen(const graph::Shape& shape) {
  const std::int64_t elements = graph::element_count(shape);
  if (elements <= elements_) return;
  elements_ = elements;
  cols_ = shape.empty() ? 1 : shape.back();
  rows_ = elements / cols_;
}

std::int64_t Extents::count(Extent extent) const {
  switch (extent) {
    case Extent::kFull:
      return rows_ * cols_;
    case Extent::kRow:
      return rows_;
    case Extent::kColumn:
      return cols_;
    default:
      return 1;
  }
}

// The first that its size and what it follows from allow.
void Extents::assign_root(int value) {
  std::string why = "its shape does not follow the rows and columns of the operations around it";
  const std::int64_t elements = graph::element_count(around_.graph.type(value).shape);
  for (const Extent extent : {Extent::kFull, Extent::kRow, Extent::kColumn, Extent::kScalar}) {
    if (elements != count(extent)) continue;
    Found found = extents_;
    try {
      assign(value, extent, found);
      extents_ = std::move(found);
      return;
    } catch (const graph::GraphError& error) {
      why = error.what();
    }
  }
  throw graph::GraphError(why);
}

void Extents::assign(int value, Extent extent, Found& found) const {
  if (is_known(value)) return;
  const graph::Graph& graph = around_.graph;
  const Operation* operation = graph.maker(value);
  const auto fail = [&](std::string_view why) {
    if (operation != nullptr) graph.call(*operation).fail("{}", why);
    throw graph::GraphError(fmt::format("{}: {}", graph::to_string(graph.type(value)), why));
  };
  if (const auto known = found.find(value); known != found.end()) {
    if (known->second != extent) fail("the device cannot use it by rows and by elements at once");
    return;
  }
  if (graph::element_count(graph.type(value).shape) != count(extent)) {
    fail("its shape does not follow the rows and columns of the operations around it");
  }
  found.emplace(value, extent);
  if (is_read(value)) return;
  if (operation == nullptr) fail("the device does not have this input");
  assign_operands(*operation, extent, found);
}

void Extents::assign_operands(const Operation& operation, Extent extent, Found& found) const {
  const Call call = around_.graph.call(operation);
  const std::string_view name = operation.kind->name;
  if (name == "broadcast_in_dim") {
    const bool spreads = graph::element_count(call.operands[0].shape) != count(extent);
    const Extent from = !spreads ? extent : broadcast_from(call);
    call.need(!spreads || extent == Extent::kFull || from == Extent::kScalar,
              "the device broadcasts to whole tensors only");
    return assign(operation.operands[0], from, found);
  }
  if (name == "reduce") {
    combining_operation(call);
    call.need(around_.graph.splat(operation.operands[1]).has_value(),
              "the device needs a constant to start from");
    const bool same = reduces_nothing(around_.graph, operation);
    return assign(operation.operands[0], same ? extent : reduced_from(call, extent), found);
  }
  if (name == "iota") {
    const Integers& shape = call.get<graph::Type>("type").shape;
    const bool is_last = call.integer("iota_dimension") + 1 == std::ssize(shape);
    call.need(is_last && shape.back() == cols_ && extent != Extent::kRow,
              "the device numbers columns only");
    return;
  }
  call.need(name == "reshape" || is_elementwise(*operation.kind),
            "the device's vector engine has no such operation");
  for (const int operand : operation.operands) assign(operand, extent, found);
}

/// One element for each row or each column of the result.
Extent Extents::broadcast_from(const Call& call) const {
  const graph::Shape& from = call.operands[0].shape;
  const graph::Shape& to = call.get<graph::Type>("type").shape;
  if (graph::element_count(from) == 1) return Extent::kScalar;
  std::vector<bool> covered(to.size());
  const Integers& dimensions = call.integers("broadcast_dimensions");
  for (std::size_t i = 0; i < from.size(); ++i) covered[dimensions[i]] = from[i] > 1;
  const std::size_t last = to.size() - 1;
  bool all = true, none = true;
  for (std::size_t i = 0; i < last; ++i) {
    if (to[i] == 1) continue;
    all = all && covered[i];
    none = none && !covered[i];
  }
  call.need(to.back() == cols_ && (covered[last] ? none : all),
            "the device broadcasts one element for each row, or one for each column");
  return covered[last] ? Extent::kColumn : Extent::kRow;
}

Extent Extents::reduced_from(const Call& call, Extent extent) const {
  const graph::Shape& from = call.operands[0].shape;
  const Integers& dimensions = call.integers("dimensions");
  const auto rank = std::ssize(from);
  const bool is_whole = graph::element_count(from) == rows_ * cols_;
  const bool has_rows = is_whole && from.back() == cols_;
  if (extent == Extent::kRow) {
    call.need(has_rows && dimensions == Integers{rank - 1},
              "the device reduces rows along the last dimension");
    return Extent::kFull;
  }
  if (extent == Extent::kColumn) {
    call.need(has_rows && dimensions == graph::counting(rank - 1),
              "the device adds up rows over all dimensions but the last");
    return Extent::kFull;
  }
  call.need(extent == Extent::kScalar && std::ssize(dimensions) == rank,
            "the device reduces the last dimension, all others, or all");
  return is_whole ? Extent::kFull : Extent::kRow;
}

}  // namespace systole::lowering
