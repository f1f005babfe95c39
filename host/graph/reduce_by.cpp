#include "host/graph/reduce_by.h"

#include <algorithm>
#include <array>

#include "host/graph/indexing.h"
#include "host/graph/ops.h"

namespace systole::graph {
namespace {

using Values = std::vector<Value>;

constexpr std::int64_t kMostTaps = 4096;

Values repeated(const Values& scalars, const Shape& shape) {
  Values result;
  for (const Value scalar : scalars) result.push_back(broadcast_to(scalar, shape));
  return result;
}

void need_alike(const Values& x, const Values& starts) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i].shape() != x[0].shape() || starts[i].type() != Type{x[i].type().element, {}}) {
      throw GraphError("reduce: operands of one shape have a scalar of their type each");
    }
  }
}

// Every second column of rows, from `first` on.
Values column(const Values& rows, std::int64_t first, std::int64_t count) {
  Values result;
  for (const Value row : rows) {
    result.push_back(slice(row, {0, first}, {row.dimension(0), first + 2 * count - 1}, {1, 2}));
  }
  return result;
}

}  // namespace

Values reduce_by(const Combine& combine, const Values& x, const Values& starts,
                 const Integers& dimensions) {
  need_alike(x, starts);
  const Shape shape = x[0].shape();
  const auto rank = static_cast<std::int64_t>(shape.size());
  Integers order;
  Shape kept;
  std::int64_t count = 1;
  for (std::int64_t d = 0; d < rank; ++d) {
    if (std::ranges::find(dimensions, d) != dimensions.end()) continue;
    order.push_back(d);
    kept.push_back(shape[static_cast<std::size_t>(d)]);
  }
  for (const std::int64_t d : dimensions) {
    if (d < 0 || d >= rank || std::ranges::find(order, d) != order.end()) {
      throw GraphError(fmt::format("reduce: dimensions {} of {}", to_string(dimensions),
                                   to_string(x[0].type())));
    }
    order.push_back(d);
    count *= shape[static_cast<std::size_t>(d)];
  }
  if (count == 0 || element_count(kept) == 0) return repeated(starts, kept);
  Values rows;
  for (const Value value : x) {
    rows.push_back(reshape(transpose(value, order), {element_count(kept), count}));
  }
  while (count > 1) {
    const std::int64_t pairs = count / 2;
    Values next = combine(column(rows, 0, pairs), column(rows, 1, pairs));
    if (count % 2 != 0) {
      for (std::size_t i = 0; i < next.size(); ++i) {
        next[i] = concatenate(std::array{next[i], take(rows[i], 1, count - 1, count)}, 1);
      }
    }
    rows = std::move(next);
    count = pairs + count % 2;
  }
  Values result = combine(repeated(starts, Shape{element_count(kept), 1}), rows);
  for (Value& value : result) value = reshape(value, kept);
  return result;
}

Values reduce_window_by(const Combine& combine, const Values& x, const Values& starts,
                        const Window& window, const Shape& shape) {
  need_alike(x, starts);
  const std::size_t rank = shape.size();
  for (const Integers* list :
       {&window.size, &window.strides, &window.base_dilation, &window.dilation, &x[0].shape()}) {
    if (list->size() != rank) throw GraphError("reduce_window: a number for each dimension");
  }
  if (window.padding.size() != 2 * rank || element_count(window.size) > kMostTaps) {
    throw GraphError(
        fmt::format("reduce_window: a window of {} by a function of one's own: {} are "
                    "supported",
                    to_string(window.size), kMostTaps));
  }
  Integers low, high, interior;
  for (std::size_t d = 0; d < rank; ++d) {
    low.push_back(window.padding[2 * d]);
    high.push_back(window.padding[2 * d + 1]);
    interior.push_back(window.base_dilation[d] - 1);
  }
  Values padded;
  for (std::size_t i = 0; i < x.size(); ++i) {
    padded.push_back(pad(x[i], starts[i], low, high, interior));
  }
  Values result = repeated(starts, shape);
  if (element_count(shape) == 0) return result;
  for_each_index(window.size, [&](const Integers& tap) {
    Integers from, to;
    for (std::size_t d = 0; d < rank; ++d) {
      from.push_back(tap[d] * window.dilation[d]);
      to.push_back(from[d] + (shape[d] - 1) * window.strides[d] + 1);
    }
    Values taken;
    for (const Value value : padded) taken.push_back(slice(value, from, to, window.strides));
    result = combine(result, taken);
  });
  return result;
}

}  // namespace systole::graph
