#include "host/compiler/rewrites/plain_layouts.h"

#include <algorithm>

#include "host/compiler/rewrites/rewrite.h"
#include "host/cpu/kernel.h"
#include "host/graph/attribute.h"
#include "host/graph/ops.h"

namespace systole::lowering {
namespace {

/// Of rows that a view has: docs/lowering.md.
constexpr std::int64_t kMostRuns = 3;
/// Tensors that are summed as slices, pairs of pairs (cut_parts).
constexpr std::int64_t kMostSlices = 16;

/// A transpose of runs: dimensions of more than one element, those that stay side by side as one. A
/// last dimension that stays is a run of its own, since its elements are the rows of a view.
struct Runs {
  Shape shape;
  Integers permutation;

  Runs(const Shape& from, const Integers& order) {
    std::vector<std::pair<std::int64_t, std::int64_t>> runs;  // first dimension, elements
    std::int64_t last = -1;                                   // dimension of the run
    const bool keeps_rows = order.back() + 1 == std::ssize(from);
    for (const std::int64_t d : order) {
      const std::int64_t size = from[static_cast<std::size_t>(d)];
      if (size == 1) continue;
      const bool is_row = keeps_rows && d == order.back();
      const bool follows = last >= 0 && last < d && !is_row &&
                           std::all_of(
                               from.begin() + last + 1, from.begin() + d,
                               [](std::int64_t between) { return between == 1; });
      if (follows) {
        runs.back().second *= size;
      } else {
        runs.emplace_back(d, size);
      }
      last = d;
    }
    std::vector<std::size_t> sorted(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) sorted[i] = i;
    std::ranges::sort(sorted, {}, [&](std::size_t i) { return runs[i].first; });
    permutation.resize(runs.size());
    for (std::size_t place = 0; place < sorted.size(); ++place) {
      shape.push_back(runs[sorted[place]].second);
      permutation[sorted[place]] = static_cast<std::int64_t>(place);
    }
  }

  bool is_none() const { return std::ranges::is_sorted(permutation); }
  bool leaves_last() const { return permutation.back() + 1 == std::ssize(permutation); }
  /// Whether the vector engine reads the rows in this order.
  bool is_plain() const { return leaves_last() && std::ssize(permutation) <= kMostRuns + 1; }
};

/// x with its dimensions in another order, as transposes that the device has.
Value moved(Value x, const Integers& order) {
  Shape shape;
  for (const std::int64_t d : order) shape.push_back(x.shape()[static_cast<std::size_t>(d)]);
  Runs runs(x.shape(), order);
  if (runs.is_none()) return reshape(x, shape);
  if (!runs.leaves_last() && std::ssize(runs.permutation) <= kMostRuns) {
    runs.permutation.push_back(std::ssize(runs.permutation));
    runs.shape.push_back(1);
  }
  if (runs.is_plain()) return reshape(transpose(reshape(x, runs.shape), runs.permutation), shape);
  // All from the run that belongs into the first wrong place come first, which takes three runs at
  // most and the row; then the others.
  const auto place = static_cast<std::int64_t>(
      std::ranges::mismatch(runs.permutation, graph::counting(std::ssize(runs.permutation))).in1 -
      runs.permutation.begin());
  const std::int64_t first = runs.permutation[static_cast<std::size_t>(place)];
  Integers front = graph::counting(std::ssize(runs.permutation)), rest;
  std::rotate(front.begin() + place, front.begin() + first, front.end() - runs.leaves_last());
  for (const std::int64_t d : runs.permutation) {
    rest.push_back(std::ranges::find(front, d) - front.begin());
  }
  return reshape(moved(moved(reshape(x, runs.shape), front), rest), shape);
}

bool is_plain(const Graph& graph, const Operation& transpose) {
  const Shape& from = graph.type(transpose.operands[0]).shape;
  const auto& order = graph::attribute<Integers>(transpose, "permutation");
  const Runs runs(from, order);
  return !runs.is_none() && runs.is_plain() && order.back() + 1 == std::ssize(from);
}

// ---- Broadcasts ----

/// Dimensions of more than one element, those that stay side by side as one: new, or of what is
/// repeated.
struct SpreadRuns {
  struct Run {
    bool is_new;
    std::int64_t first, elements;  ///< the first of its dimensions
  };
  std::vector<Run> runs;

  SpreadRuns(const Shape& shape, const Integers& dimensions) {
    for (std::int64_t d = 0; d < std::ssize(shape); ++d) {
      const std::int64_t size = shape[static_cast<std::size_t>(d)];
      if (size == 1) continue;
      const bool is_new = !graph::contains(dimensions, d);
      if (runs.empty() || runs.back().is_new != is_new) runs.push_back({is_new, d, 1});
      runs.back().elements *= size;
    }
  }
  std::int64_t news() const { return std::ranges::count(runs, true, &Run::is_new); }
  bool is_by_rows() const { return !runs.empty() && runs.back().is_new; }
};

/// Without dimensions of one after the last that is repeated.
Value spread_plain(Value x, const Shape& shape, const Integers& dimensions) {
  const Shape whole(shape.begin(), shape.begin() + dimensions.back() + 1);
  const Value all = broadcast_in_dim(x, whole, dimensions);
  return reshape(all, shape);
}

/// A broadcast of dimensions in order, one run of new dimensions after the other.
Value spread(Value x, const Shape& shape, const Integers& dimensions) {
  const SpreadRuns found(shape, dimensions);
  if (found.news() <= 1) {
    if (!found.is_by_rows()) return spread_plain(x, shape, dimensions);
    const std::int64_t rows = graph::element_count(x.shape());
    return reshape(broadcast_in_dim(reshape(x, {rows}), {rows, found.runs.back().elements}, {0}),
                   shape);
  }
  const auto last =
      std::ranges::find(found.runs.rbegin(), found.runs.rend(), true, &SpreadRuns::Run::is_new);
  // What comes before the last new run is one dimension, so that this stays a broadcast apart.
  Shape inner, outer = {1, last->elements};
  Integers places;
  for (std::int64_t d = 0; d < std::ssize(shape); ++d) {
    const std::int64_t size = shape[static_cast<std::size_t>(d)];
    const auto known = std::ranges::find(dimensions, d);
    if (known != dimensions.end()) places.push_back(std::ssize(inner));
    if (d < last->first) outer[0] *= size;
    if (d < last->first || known != dimensions.end()) inner.push_back(size);
    if (d > last->first && known != dimensions.end()) outer.push_back(size);
  }
  Integers others = graph::counting(std::ssize(outer));
  others.erase(others.begin() + 1);
  Shape merged = outer;
  merged.erase(merged.begin() + 1);
  const Value once = spread(x, inner, places);
  return reshape(spread(reshape(once, merged), outer, others), shape);
}

std::optional<Value> plain_broadcast(const Graph& graph, const Operation& operation,
                                     std::span<const Value> values) {
  const Shape& shape = graph.type(operation.results[0]).shape;
  const auto& dimensions = graph::attribute<Integers>(operation, "broadcast_dimensions");
  const Value x = values[operation.operands[0]];
  const std::int64_t elements = graph::element_count(x.shape());
  if (elements <= 1 || std::ranges::count(x.shape(), 1) != 0 ||
      graph.splat(operation.operands[0])) {
    return {};
  }
  const bool is_sorted = std::ranges::is_sorted(dimensions);
  const SpreadRuns found(shape, dimensions);
  const bool is_column = shape.back() == 1;  // whose last dimension is another
  const bool is_row_wise = found.is_by_rows() && shape.back() == found.runs.back().elements;
  if (is_sorted && !is_column && found.news() <= 1 && (!found.is_by_rows() || is_row_wise)) {
    return {};
  }
  Integers order = graph::counting(std::ssize(dimensions)), sorted = dimensions;
  std::ranges::sort(sorted);
  std::ranges::sort(order, {},
                    [&](std::int64_t i) { return dimensions[static_cast<std::size_t>(i)]; });
  return spread(is_sorted ? x : moved(x, order), shape, sorted);
}

// ---- Products ----

void append(Integers& to, const Integers& more) { to.insert(to.end(), more.begin(), more.end()); }

/// An operand as batch, free and contracted dimensions, each as one.
struct Side {
  Value value;
  Shape free;
  bool is_depth_first = false;

  Side(Value x, const Integers& batch, const Integers& depth) {
    Integers rest;
    for (std::int64_t d = 0; d < x.type().rank(); ++d) {
      if (graph::contains(batch, d) || graph::contains(depth, d)) continue;
      rest.push_back(d);
      free.push_back(x.dimension(d));
    }
    // The order that leaves the last dimension where it is.
    is_depth_first = !rest.empty() && rest.back() + 1 == x.type().rank();
    Integers order = batch;
    append(order, is_depth_first ? depth : rest);
    append(order, is_depth_first ? rest : depth);
    const auto count = [&](const Integers& dimensions) {
      std::int64_t all = 1;
      for (const std::int64_t d : dimensions) all *= x.dimension(d);
      return all;
    };
    Shape shape = {count(batch)};
    shape.push_back(count(is_depth_first ? depth : rest));
    shape.push_back(count(is_depth_first ? rest : depth));
    value = reshape(moved(x, order), shape);
  }
};

std::optional<Value> plain_product(const Graph& graph, const Operation& operation,
                                   std::span<const Value> values) {
  const graph::Type& type = graph.type(operation.results[0]);
  const auto& lists = graph::attribute<graph::Dimensions>(operation, "dot_dimension_numbers");
  const Integers &batch_a = lists["lhs_batching_dimensions"],
                 &batch_b = lists["rhs_batching_dimensions"],
                 &depth_a = lists["lhs_contracting_dimensions"],
                 &depth_b = lists["rhs_contracting_dimensions"];
  const std::int64_t elements = graph::element_count(type.shape);
  if (elements == 0 || depth_a.empty() || graph::dot_form(graph, operation)) return {};
  const Side a(values[operation.operands[0]], batch_a, depth_a);
  const Side b(values[operation.operands[1]], batch_b, depth_b);
  const Value product = dot_general(a.value, b.value,
                                    {.lhs_batching = {0},
                                     .rhs_batching = {0},
                                     .lhs_contracting = {a.is_depth_first ? 1 : 2},
                                     .rhs_contracting = {b.is_depth_first ? 1 : 2}});
  return reshape(product, type.shape);
}

// ---- Sums, and numbers of rows ----

/// The sum of R in [P, R, S]: of rows [P, R], or [R, P S].
Value reduced_run(Value x, std::int64_t before, std::int64_t size, Value start,
                  std::string_view body) {
  const std::int64_t after = graph::element_count(x.shape()) / before / size;
  if (before == 1 && after == 1) return graph::reduce(reshape(x, {size}), start, body, {0});
  if (after == 1) return graph::reduce(reshape(x, {before, size}), start, body, {1});
  const Value rows = moved(reshape(x, {before, size, after}), {1, 0, 2});
  return graph::reduce(reshape(rows, {size, before * after}), start, body, {0});
}

/// The sums of a concatenation's parts over dimensions of which it is one, or x's own.
void add_parts(Value x, const Integers& dimensions, Value zero, std::vector<Value>& sums) {
  const Operation* maker = x.graph().maker(x.id());
  if (!is(maker, "concatenate") ||
      !graph::contains(dimensions, graph::attribute<std::int64_t>(*maker, "dimension"))) {
    sums.push_back(graph::reduce(x, zero, "add", dimensions));
    return;
  }
  for (const int part : maker->operands) {
    add_parts(x.graph().value(part), dimensions, zero, sums);
  }
}

/// The sum of what is concatenated, for it alone, along a dimension that is summed over.
std::optional<Value> plain_total(const Graph& graph, const Operation& operation,
                                 std::span<const Value> values) {
  const graph::Call call = graph.call(operation);
  const Value x = values[operation.operands[0]];
  const Operation* maker = x.graph().maker(x.id());
  const bool adds = call.word("body") == "add" && graph.splat(operation.operands[1]) == 0;
  if (!adds || !is(maker, "concatenate")) return {};
  const auto readers = std::ranges::count_if(graph.operations(), [&](const Operation& other) {
    return std::ranges::count(other.operands, operation.operands[0]) > 0;
  });
  if (readers > 1) return {};
  std::vector<Value> sums;
  add_parts(x, call.integers("dimensions"), values[operation.operands[1]], sums);
  if (sums.size() < 2) return {};
  return combined_in_pairs(std::move(sums), [](Value a, Value b) { return a + b; });
}

/// Dimensions that stay side by side, one run after the other from the last.
std::optional<Value> plain_reduction(const Graph& graph, const Operation& operation,
                                     std::span<const Value> values) {
  const graph::Call call = graph.call(operation);
  Value x = values[operation.operands[0]];
  const Shape shape = x.shape();
  const auto rank = std::ssize(shape);
  Integers dimensions = call.integers("dimensions");
  if (dimensions.empty()) return {};
  std::ranges::sort(dimensions);
  const std::string& body = call.word("body");
  const bool is_last = dimensions == Integers{rank - 1};
  const bool is_rows = dimensions == graph::counting(rank - 1);
  const bool is_sliced = dimensions == Integers{0} && shape[0] <= kMostSlices;
  const bool is_all = std::ssize(dimensions) == rank;
  if (is_last || is_rows || is_sliced || is_all || body == "multiply" ||
      graph::element_count(shape) == 0) {
    return {};
  }
  // The other bodies may start more than once.
  const Value start = values[operation.operands[1]];
  const Value neutral = body == "add" ? constant_like(start, 0) : start;
  for (std::size_t end = dimensions.size(); end > 0;) {
    std::size_t first = end - 1;
    while (first > 0 && dimensions[first - 1] + 1 == dimensions[first]) --first;
    std::int64_t before = 1, size = 1;
    for (std::int64_t d = 0; d < dimensions[first]; ++d)
      before *= shape[static_cast<std::size_t>(d)];
    for (std::size_t i = first; i < end; ++i)
      size *= shape[static_cast<std::size_t>(dimensions[i])];
    x = reduced_run(x, before, size, first == 0 ? start : neutral, body);
    end = first;
  }
  return reshape(x, graph.type(operation.results[0]).shape);
}

// `values`: of the new graph, of which the first that is made names it.
std::optional<Value> plain_iota(const graph::Type& type, std::int64_t dimension,
                                std::span<const Value> values) {
  const auto any = std::ranges::find_if(values, [](Value value) { return bool{value}; });
  const bool are_columns = type.rank() > 1 && dimension + 1 == type.rank();
  if (are_columns || graph::element_count(type.shape) == 0 || any == values.end()) {
    return {};
  }
  graph::Literal numbers{{type.element, {type.shape[static_cast<std::size_t>(dimension)]}}, {}};
  for (std::int64_t i = 0; i < numbers.type.shape[0]; ++i) {
    numbers.values.push_back(static_cast<double>(i));
  }
  return broadcast_in_dim(constant(any->graph(), std::move(numbers)), type.shape, {dimension});
}

}  // namespace

std::unique_ptr<Graph> plain_layouts(const Graph& graph) {
  const auto rule = [&](const Operation& operation,
                        std::span<const Value> values) -> std::optional<Value> {
    const std::string_view name = operation.kind->name;
    if (name == "dot_general") return plain_product(graph, operation, values);
    if (name == "reduce") {
      const auto total = plain_total(graph, operation, values);
      return total ? total : plain_reduction(graph, operation, values);
    }
    if (name == "broadcast_in_dim") return plain_broadcast(graph, operation, values);
    if (name == "iota") {
      return plain_iota(graph.type(operation.results[0]),
                        graph.call(operation).integer("iota_dimension"), values);
    }
    if (name == "transpose" && !is_plain(graph, operation) &&
        graph::element_count(graph.type(operation.results[0]).shape) > 0) {
      return moved(values[operation.operands[0]],
                   graph::attribute<Integers>(operation, "permutation"));
    }
    return {};
  };
  return rewrite(graph, rule);
}

}  // namespace systole::lowering
