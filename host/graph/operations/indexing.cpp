#include "host/graph/indexing.h"

#include "host/graph/gradient.h"
#include "host/graph/operations/body.h"
#include "host/graph/operations/operations.h"
#include "host/graph/ops.h"

namespace systole::graph {

using std::int64_t;

Indexing indexing_of(const Call& call) {
  const bool gathers = call.kind.name == "gather";
  const auto& lists =
      call.get<Dimensions>(gathers ? "dimension_numbers" : "scatter_dimension_numbers");
  const Integers& vector = lists["index_vector_dim"];
  return {.window = lists[gathers ? "offset_dims" : "update_window_dims"],
          .collapsed = lists[gathers ? "collapsed_slice_dims" : "inserted_window_dims"],
          .map = lists[gathers ? "start_index_map" : "scatter_dims_to_operand_dims"],
          .vector_dimension = vector.size() == 1 ? vector[0] : 0};
}

namespace {

// The batch dimensions: the indices' shape without their vector dimension.
Shape batch_shape(const Call& call, const Indexing& how) {
  const Type &x = call.operands[0], &indices = call.operands[1];
  call.need_elements(1, is_integer(indices.element), "an integer");
  call.need(how.vector_dimension >= 0 && how.vector_dimension <= indices.rank(),
            "index_vector_dim {} is not a dimension of {}", how.vector_dimension, indices.rank());
  const bool is_inside = how.vector_dimension < indices.rank();
  const int64_t length = is_inside ? indices.shape[how.vector_dimension] : 1;
  call.need(length == static_cast<int64_t>(how.map.size()),
            "index vectors of {} numbers for {} dimensions", length, how.map.size());
  const auto need_once = [&](const Integers& list, int64_t rank) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      call.need(list[i] >= 0 && list[i] < rank && std::ranges::count(list, list[i]) == 1,
                "dimension {} is not one of {}, or named twice", list[i], rank);
    }
  };
  need_once(how.map, x.rank());
  need_once(how.collapsed, x.rank());
  call.need(how.window.size() + how.collapsed.size() == x.shape.size(),
            "{} window dimensions and {} collapsed ones are not {}", how.window.size(),
            how.collapsed.size(), x.rank());
  Shape batch = indices.shape;
  if (is_inside) batch.erase(batch.begin() + how.vector_dimension);
  need_once(how.window, static_cast<int64_t>(batch.size() + how.window.size()));
  call.need(std::ranges::is_sorted(how.window), "the window's dimensions do not ascend");
  return batch;
}

std::vector<Type> infer_gather(const Call& call) {
  const Indexing how = indexing_of(call);
  const Type& x = call.operands[0];
  const Integers& sizes = call.integers("slice_sizes");
  const Shape batch = batch_shape(call, how);
  call.need(sizes.size() == x.shape.size(), "{} slice sizes for {} dimensions", sizes.size(),
            x.rank());
  Shape slice;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    call.need(sizes[d] >= 0 && sizes[d] <= x.shape[d], "a slice of {} does not fit dimension {}",
              sizes[d], d);
    const bool is_left_out = contains(how.collapsed, static_cast<int64_t>(d));
    call.need(!is_left_out || sizes[d] == 1, "a slice of {} cannot collapse dimension {}", sizes[d],
              d);
    if (!is_left_out) slice.push_back(sizes[d]);
  }
  Type type{x.element, {}};
  std::size_t next_batch = 0, next_slice = 0;
  for (std::size_t d = 0; d < batch.size() + slice.size(); ++d) {
    type.shape.push_back(contains(how.window, static_cast<int64_t>(d)) ? slice[next_slice++]
                                                                       : batch[next_batch++]);
  }
  return {type};
}

std::vector<Literal> evaluate_gather(const Call& call, std::span<const Literal> x) {
  Literal result{infer_gather(call)[0], {}};
  indexing_of(call).for_each(
      result.type.shape, x[0].type.shape, x[1].type.shape, &call.integers("slice_sizes"),
      [&](int64_t i) { return static_cast<int64_t>(x[1].at(i)); },
      [&](int64_t, int64_t source) { result.values.push_back(x[0].at(source)); });
  return {result};
}

// The indices after gather's clamping.
Value inside(Value indices, const Shape& operand, const Integers& sizes, const Indexing& how) {
  Literal last{{indices.type().element, {static_cast<int64_t>(how.map.size())}}, {}};
  for (const int64_t d : how.map) {
    last.values.push_back(static_cast<double>(operand[d] - sizes[d]));
  }
  Value limit = constant(indices.graph(), std::move(last));
  limit = how.vector_dimension < indices.type().rank()
              ? broadcast_in_dim(limit, indices.shape(), {how.vector_dimension})
              : broadcast_to(reshape(limit, {}), indices.shape());
  return clamp(constant_like(indices, 0), indices, limit);
}

void d_gather(Backward& b) {
  const Indexing how = indexing_of(b.call());
  const Value zeros = broadcast_to(constant_like(b.d(), 0), b.operand(0).shape());
  const Value indices =
      inside(b.operand(1), b.operand(0).shape(), b.call().integers("slice_sizes"), how);
  b.give(0, scatter(zeros, indices, b.d(), "add",
                    {.update_window_dims = how.window,
                     .inserted_window_dims = how.collapsed,
                     .scatter_dims_to_operand_dims = how.map,
                     .index_vector_dim = how.vector_dimension}));
}

std::vector<Type> infer_scatter(const Call& call) {
  const Indexing how = indexing_of(call);
  const Type &x = call.operands[0], &updates = call.operands[2];
  body_of(call);
  const Shape batch = batch_shape(call, how);
  call.need(
      updates.element == x.element && updates.shape.size() == batch.size() + how.window.size(),
      "the updates do not fit");
  Integers kept;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (!contains(how.collapsed, d)) kept.push_back(x.shape[d]);
  }
  std::size_t next_batch = 0, next_kept = 0;
  for (std::size_t d = 0; d < updates.shape.size(); ++d) {
    const bool is_window = contains(how.window, static_cast<int64_t>(d));
    call.need(
        is_window ? updates.shape[d] <= kept[next_kept++] : updates.shape[d] == batch[next_batch++],
        "the updates' dimension {} of {} does not fit", d, updates.shape[d]);
  }
  return {x};
}

std::vector<Literal> evaluate_scatter(const Call& call, std::span<const Literal> x) {
  const Body body = body_of(call);
  Literal result{x[0].type, {}};
  for (int64_t i = 0; i < element_count(x[0].type.shape); ++i) result.values.push_back(x[0].at(i));
  indexing_of(call).for_each(
      x[2].type.shape, x[0].type.shape, x[1].type.shape, nullptr,
      [&](int64_t i) { return static_cast<int64_t>(x[1].at(i)); },
      [&](int64_t place, int64_t target) {
        if (target < 0) return;
        double& sum = result.values[target];
        sum = apply(body, result.type.element, sum, x[2].at(place));
      });
  return {result};
}

void d_scatter(Backward& b) {
  const Indexing how = indexing_of(b.call());
  b.call().need(body_of(b.call()) == Body::kAdd, "has no gradient for a body of {}",
                b.call().word("body"));
  b.give(0, b.d());
  if (!b.wants(2)) return;
  Integers sizes(b.d().shape().size(), 1);
  std::size_t next = 0;
  for (int64_t d = 0; d < b.d().type().rank(); ++d) {
    if (!contains(how.collapsed, d)) sizes[d] = b.operand(2).dimension(how.window[next++]);
  }
  b.give(2, gather(b.d(), b.operand(1),
                   {.offset_dims = how.window,
                    .collapsed_slice_dims = how.collapsed,
                    .start_index_map = how.map,
                    .index_vector_dim = how.vector_dimension},
                   sizes));
}

}  // namespace

std::span<const OperationKind> indexing_kinds() {
  static const std::vector<OperationKind> kKinds = {
      {.name = "gather",
       .operands = 2,
       .attributes = {{"dimension_numbers", Form::kDimensions, "gather"},
                      {"slice_sizes", Form::kIntegers}},
       .infer = infer_gather,
       .evaluate = evaluate_gather,
       .gradient = d_gather},
      {.name = "scatter",
       .operands = 3,
       .attributes = {{"scatter_dimension_numbers", Form::kDimensions, "scatter"},
                      {"body", Form::kRegion}},
       .infer = infer_scatter,
       .evaluate = evaluate_scatter,
       .gradient = d_scatter},
  };
  return kKinds;
}

}  // namespace systole::graph
