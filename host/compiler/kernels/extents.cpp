#include "host/compiler/kernels/extents.h"

#include <algorithm>
#include <utility>

#include "host/compiler/kernels/element_operations.h"
#include "host/graph/attribute.h"
#include "host/graph/indexing.h"

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
  return graph::attribute<Integers>(operation, "dimensions") != Integers{rank - 1} || rank == 1;
}

namespace {

/// Rows of a shape whose indices are `steps` elements apart, by dimension, the last of which are
/// columns; nothing if they lie at more than three distances. What is repeated is none apart: a row
/// that follows itself is a group of one.
std::optional<View> view_of(const graph::Shape& shape, const Integers& steps, std::int64_t first) {
  View view{.first = first};
  std::int64_t rows = 1;  // of the dimensions seen, from the last but one on
  for (std::size_t d = shape.size() - 1; d-- > 0;) {
    if (shape[d] == 1) continue;
    const std::int64_t step = steps[d];
    if (rows == 1 && step != 0) {
      view.step = step;
    } else if (view.group_rows == 0 && (rows == 1 || step != rows * view.step)) {
      view.group_rows = rows;
      view.group_step = step;
    } else if (view.group_rows > 0 && view.block_groups == 0 &&
               step != rows / view.group_rows * view.group_step) {
      view.block_groups = rows / view.group_rows;
      view.block_step = step;
    } else if (view.block_groups > 0 &&
               step != rows / view.group_rows / view.block_groups * view.block_step) {
      return {};
    }
    rows *= shape[d];
  }
  if (view.step == 0) view.step = shape.back();
  return view;
}

/// A tensor of several rows, which the result repeats: its last dimension is the result's, the
/// others lie anywhere.
std::optional<Slice> repeated(const graph::Graph& graph, const Operation& operation) {
  const Call call = graph.call(operation);
  const graph::Shape &from = call.operands[0].shape, &to = call.get<graph::Type>("type").shape;
  const Integers& dimensions = call.integers("broadcast_dimensions");
  const std::int64_t elements = graph::element_count(from);
  if (from.empty() || elements == graph::element_count(to) || graph.splat(operation.operands[0]) ||
      elements == from.back() || dimensions.back() + 1 != std::ssize(to) ||
      from.back() != to.back()) {
    return {};
  }
  const Integers strides = graph::row_major_strides(from);
  Integers steps(to.size(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] > 1) steps[static_cast<std::size_t>(dimensions[i])] = strides[i];
  }
  const std::optional<View> view = view_of(to, steps, 0);
  if (!view) return {};
  return Slice{.value = operation.operands[0], .view = *view, .cols = to.back()};
}

/// The rows of a tensor in another order.
std::optional<Slice> exchanged(const graph::Graph& graph, const Operation& operation) {
  const Call call = graph.call(operation);
  const Integers& permutation = call.integers("permutation");
  const graph::Shape& from = call.operands[0].shape;
  const graph::Shape& to = graph.type(operation.results[0]).shape;
  if (permutation.empty() || permutation.back() + 1 != std::ssize(from)) return {};
  const Integers strides = graph::row_major_strides(from);
  Integers steps;
  for (const std::int64_t d : permutation) steps.push_back(strides[static_cast<std::size_t>(d)]);
  const std::optional<View> view = view_of(to, steps, 0);
  if (!view) return {};
  return Slice{.value = operation.operands[0], .view = *view, .cols = to.back()};
}

}  // namespace

std::optional<Slice> slice_of(const graph::Graph& graph, const Operation& operation) {
  if (operation.kind->name == "broadcast_in_dim") return repeated(graph, operation);
  if (operation.kind->name == "transpose") return exchanged(graph, operation);
  const Call call = graph.call(operation);
  if (operation.kind->name != "slice" || graph.type(operation.results[0]).rank() == 0) return {};
  const graph::Shape& from = call.operands[0].shape;
  const graph::Shape& to = graph.type(operation.results[0]).shape;
  const Integers strides = graph::row_major_strides(from);
  const Integers& start = call.integers("start_indices");
  const Integers& by = call.integers("strides");
  if (by.back() != 1 && to.back() > 1) return {};
  Integers steps;
  std::int64_t first = 0;
  for (std::size_t d = 0; d < from.size(); ++d) {
    first += start[d] * strides[d];
    steps.push_back(strides[d] * by[d]);
  }
  const std::optional<View> view = view_of(to, steps, first);
  if (!view) return {};
  return Slice{.value = operation.operands[0], .view = *view, .cols = to.back()};
}

namespace {

bool joins_rows(const graph::Graph& graph, const Operation& operation) {
  if (operation.kind->name != "concatenate") return false;
  const graph::Shape& one = graph.type(operation.operands[0]).shape;
  const auto dimension =
      static_cast<std::size_t>(graph::attribute<std::int64_t>(operation, "dimension"));
  return one.size() >= 2 && dimension + 2 == one.size() &&
         std::ranges::all_of(operation.operands, [&](int operand) {
           return graph.type(operand).shape[dimension] == 1;
         });
}

/// The parts of an operand in a join whose rows are `length` long, the operand's first at `first`.
std::optional<JoinedRows> joined_within(const JoinedRows& operand, std::int64_t cols,
                                        std::int64_t first, std::int64_t length) {
  JoinedRows joined = operand;
  for (JoinedRows::Part& part : joined.parts) {
    View& view = part.view;
    if (view.block_groups > 0) return {};
    if (view.group_rows == 0) {
      if (cols % view.step != 0) return {};
      view.group_rows = cols / view.step;
      view.group_step = cols;
    }
    if (view.group_step != cols) return {};
    view.first += first;
    view.group_step = length;
  }
  return joined;
}

/// The rows of `inner` [groups, rows, cols] with as many zeros after each group.
std::optional<JoinedRows> padded_rows(const Call& pad, JoinedRows inner) {
  const graph::Shape& from = pad.operands[0].shape;
  const Integers& high = pad.integers("edge_padding_high");
  const auto is_zero = [](std::int64_t number) { return number == 0; };
  if (from.size() != 3 || high[0] != 0 || high[1] < 0 || high[2] != 0 ||
      !std::ranges::all_of(pad.integers("edge_padding_low"), is_zero) ||
      !std::ranges::all_of(pad.integers("interior_padding"), is_zero)) {
    return {};
  }
  const std::int64_t rows = from[1], cols = from[2], step = (rows + high[1]) * cols;
  for (JoinedRows::Part& part : inner.parts) {
    View& view = part.view;
    if (view.group_rows == 0) {
      if (rows * cols % view.step != 0) return {};
      view.group_rows = rows * cols / view.step;
      view.group_step = step;
    } else {
      if (view.block_groups > 0 || rows * cols % view.group_step != 0) return {};
      view.block_groups = rows * cols / view.group_step;
      view.block_step = step;
    }
  }
  inner.is_padded = true;
  return inner;
}

/// Makes a join's operands alike: all joins of as many parts, or none. A constant is whatever the
/// others are. What joins more parts than a kernel has streams joins values in memory.
void make_alike(const graph::Graph& graph, std::span<const int> operands,
                std::vector<std::optional<JoinedRows>>& inner) {
  const auto first = std::ranges::find_if(inner, [](const auto& one) { return one.has_value(); });
  if (first == inner.end()) return;
  const JoinedRows pattern = **first;
  bool are_alike = pattern.parts.size() * inner.size() <= kStreams;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (!inner[i] && graph.splat(operands[i])) {
      inner[i] = pattern;
      for (JoinedRows::Part& part : inner[i]->parts) part.value = operands[i];
    }
    are_alike = are_alike && inner[i] && inner[i]->parts.size() == pattern.parts.size();
  }
  if (!are_alike) inner.assign(inner.size(), {});
}

}  // namespace

std::optional<JoinedRows> joined_rows(const graph::Graph& graph, const Operation& operation) {
  const auto of_operand = [&](int operand) -> std::optional<JoinedRows> {
    const Operation* inner = graph.maker(graph.before_reshapes(operand));
    return inner == nullptr ? std::nullopt : joined_rows(graph, *inner);
  };
  if (operation.kind->name == "pad" && graph.splat(operation.operands[1]) == 0) {
    auto inner = of_operand(operation.operands[0]);
    return inner ? padded_rows(graph.call(operation), std::move(*inner)) : std::nullopt;
  }
  if (!joins_rows(graph, operation)) return {};
  const std::int64_t cols = graph.type(operation.operands[0]).shape.back();
  const std::int64_t length = std::ssize(operation.operands) * cols;
  std::vector<std::optional<JoinedRows>> inner;
  for (const int operand : operation.operands) inner.push_back(of_operand(operand));
  make_alike(graph, operation.operands, inner);
  JoinedRows joined;
  for (std::size_t i = 0; i < operation.operands.size(); ++i) {
    const std::int64_t first = static_cast<std::int64_t>(i) * cols;
    const int operand = operation.operands[i];
    if (inner[i]) {
      const auto within = joined_within(*inner[i], cols, first, length);
      if (!within) return {};
      joined.parts.insert(joined.parts.end(), within->parts.begin(), within->parts.end());
      joined.is_padded = joined.is_padded || within->is_padded;
    } else {
      joined.parts.push_back({.value = operand, .view = {.first = first, .step = length}});
    }
  }
  return joined;
}

OrRefusal<Extents> Extents::find(const Surroundings& around, std::span<const Root> roots) {
  Extents extents(around, roots);
  if (!extents.find()) return std::move(extents.refusal_);
  return extents;
}

bool Extents::refuse(Refusal refusal) {
  refusal_ = std::move(refusal);
  return false;
}

bool Extents::find() {
  std::map<int, bool> seen;
  for (const Root& root : roots_) visit(root.value, seen);
  for (const Root& root : roots_) {
    if (around_.graph.type(root.value).element == graph::Element::kS8 && uses(root.value) > 0) {
      refusal_ = {.why = "a stream saturates what becomes int8, and no lane has the result",
                  .is_a_limit = true};
      return false;
    }
  }
  for (const Root& root : roots_) {
    const auto rows = joined(root.value);
    if (!rows) widen(around_.graph.type(root.value).shape, false);
    for (const JoinedRows::Part& part : rows ? rows->parts : std::vector<JoinedRows::Part>{}) {
      if (!is_known(part.value)) widen(around_.graph.type(part.value).shape, true);
    }
  }
  return std::ranges::all_of(roots_, [&](const Root& root) { return assign_root(root.value); });
}

std::optional<JoinedRows> Extents::joined(int value) const {
  const Operation* operation = around_.graph.maker(value);
  const bool is_root = std::ranges::find(roots_, value, &Root::value) != roots_.end();
  if (operation == nullptr || !is_root || is_read(value)) return {};
  return joined_rows(around_.graph, *operation);
}

bool Extents::is_accumulated(int value) const {
  return !is_read(value) && adds_rows(around_.graph, *around_.graph.maker(value)) &&
         of(value) != Extent::kRow;
}

bool Extents::is_total(int value) const {
  if (!has(value) || is_read(value)) return false;
  if (is_accumulated(value)) return true;
  const auto& operands = around_.graph.maker(value)->operands;
  return std::ranges::any_of(operands, [&](int operand) { return is_total(operand); });
}

bool Extents::is_read(int value) const {
  if (around_.slices.contains(value)) return true;
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
  if (name == "broadcast_in_dim") {
    const auto& from = around_.graph.type(operation->operands[0]).shape;
    widen(around_.graph.type(value).shape, graph::element_count(from) > 1);
  }
  if (name == "reduce") widen(around_.graph.type(operation->operands[0]).shape, true);
  for (const int operand : operation->operands) {
    ++uses_[operand];
    visit(operand, seen);
  }
}

// Of as many elements, the first whose rows matter.
void Extents::widen(const graph::Shape& shape, bool has_rows) {
  const std::int64_t elements = graph::element_count(shape);
  if (elements < elements_ || (elements == elements_ && (has_rows_ || !has_rows))) return;
  has_rows_ = has_rows;
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

bool Extents::are_alike(Extent a, Extent b) const {
  const auto has_rows = [](Extent e) { return e == Extent::kFull || e == Extent::kRow; };
  const auto has_cols = [](Extent e) { return e == Extent::kFull || e == Extent::kColumn; };
  return (rows_ == 1 || has_rows(a) == has_rows(b)) && (cols_ == 1 || has_cols(a) == has_cols(b));
}

// The first that its size and what it follows from allow.
bool Extents::assign_root(int value) {
  if (const auto rows = joined(value)) {
    return std::ranges::all_of(rows->parts, [&](const JoinedRows::Part& part) {
      return assign(part.value, Extent::kFull, extents_);
    });
  }
  refuse({.why = "its shape does not follow the rows and columns of the operations around it"});
  const std::int64_t elements = graph::element_count(around_.graph.type(value).shape);
  // The sum of a single row of any length is that of all elements.
  for (const Extent extent : {Extent::kFull, Extent::kScalar, Extent::kRow, Extent::kColumn}) {
    if (elements != count(extent)) continue;
    Found found = extents_;
    if (!assign(value, extent, found)) continue;
    found.emplace(value, extent);  // a constant is written, too
    extents_ = std::move(found);
    return true;
  }
  return false;
}

bool Extents::assign(int value, Extent extent, Found& found) {
  if (is_known(value)) return true;
  const graph::Graph& graph = around_.graph;
  const Operation* operation = graph.maker(value);
  const auto fail = [&](std::string_view why) {
    if (operation != nullptr) return refuse(graph.call(*operation), why);
    return refuse({.why = fmt::format("{}: {}", graph::to_string(graph.type(value)), why)});
  };
  if (const auto known = found.find(value); known != found.end()) {
    return are_alike(known->second, extent) ||
           fail("the device cannot use it by rows and by elements at once");
  }
  if (graph::element_count(graph.type(value).shape) != count(extent)) {
    return fail("its shape does not follow the rows and columns of the operations around it");
  }
  found.emplace(value, extent);
  if (const auto slice = around_.slices.find(value); slice != around_.slices.end()) {
    const Slice& part = slice->second;
    const bool is_row = extent == Extent::kFull && part.cols == cols_;
    if (!is_row && (extent == Extent::kFull || !part.is_dense())) {
      return fail("its rows are not those of the operations around it");
    }
  }
  if (is_read(value)) return true;
  if (operation == nullptr) return fail("the device does not have this input");
  return assign_operands(*operation, extent, found);
}

bool Extents::assign_operands(const Operation& operation, Extent extent, Found& found) {
  const Call call = around_.graph.call(operation);
  const std::string_view name = operation.kind->name;
  if (name == "broadcast_in_dim") {
    const bool spreads = graph::element_count(call.operands[0].shape) != count(extent);
    const std::optional<Extent> from = !spreads ? extent : broadcast_from(call);
    if (!from) {
      return refuse(call, "the device broadcasts one element for each row, or one for each column");
    }
    if (spreads && extent != Extent::kFull && from != Extent::kScalar) {
      return refuse(call, "the device broadcasts to whole tensors only");
    }
    return assign(operation.operands[0], *from, found);
  }
  if (name == "reduce") {
    if (!Combining::is_there(call)) return refuse(call, kNoSuchOperation);
    if (!around_.graph.splat(operation.operands[1])) {
      return refuse(call, "the device needs a constant to start from");
    }
    OrRefusal<Extent> from = extent;
    if (!reduces_nothing(around_.graph, operation)) from = reduced_from(call, extent);
    if (const auto* refusal = std::get_if<Refusal>(&from)) return refuse(*refusal);
    return assign(operation.operands[0], std::get<Extent>(from), found);
  }
  if (name == "iota") {
    const Integers& shape = call.get<graph::Type>("type").shape;
    const bool is_last = call.integer("iota_dimension") + 1 == std::ssize(shape);
    return (is_last && shape.back() == cols_ && extent != Extent::kRow) ||
           refuse(call, "the device numbers columns only");
  }
  if (name != "reshape" && !has_element_operation(call)) return refuse(call, kNoSuchOperation);
  return std::ranges::all_of(operation.operands,
                             [&](int operand) { return assign(operand, extent, found); });
}

/// One element for each row or each column of the result; nothing for any others.
std::optional<Extent> Extents::broadcast_from(const Call& call) const {
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
  if (to.back() != cols_ || !(covered[last] ? none : all)) return {};
  return covered[last] ? Extent::kColumn : Extent::kRow;
}

OrRefusal<Extent> Extents::reduced_from(const Call& call, Extent extent) const {
  const graph::Shape& from = call.operands[0].shape;
  const Integers& dimensions = call.integers("dimensions");
  const auto rank = std::ssize(from);
  const bool is_whole = graph::element_count(from) == rows_ * cols_;
  const bool has_rows = is_whole && from.back() == cols_;
  if (extent == Extent::kRow) {
    if (has_rows && dimensions == Integers{rank - 1}) return Extent::kFull;
    return Refusal::of(call, "the device reduces rows along the last dimension");
  }
  if (extent == Extent::kColumn) {
    if (has_rows && dimensions == graph::counting(rank - 1)) return Extent::kFull;
    return Refusal::of(call, "the device adds up rows over all dimensions but the last");
  }
  if (rows_ == 1 && has_rows && dimensions == Integers{rank - 1}) return Extent::kFull;
  if (extent != Extent::kScalar || std::ssize(dimensions) != rank) {
    return Refusal::of(call, "the device reduces the last dimension, all others, or all");
  }
  return is_whole ? Extent::kFull : Extent::kRow;
}

}  // namespace systole::lowering
