#include <algorithm>

#include "host/graph/gradient.h"
#include "host/graph/operations/moved.h"
#include "host/graph/operations/operations.h"
#include "host/graph/ops.h"

// Slices, padding and concatenation.
namespace systole::graph {
namespace {

using std::int64_t;

// ---- slice, pad, concatenate ----

std::vector<Type> infer_slice(const Call& call) {
  Type type = call.operands[0];
  const Integers &start = call.integers("start_indices"), &limit = call.integers("limit_indices"),
                 &strides = call.integers("strides");
  for (const auto name : {"start_indices", "limit_indices", "strides"}) {
    need_length(call, name, type.rank());
  }
  for (std::size_t d = 0; d < start.size(); ++d) {
    call.need(0 <= start[d] && start[d] <= limit[d] && limit[d] <= type.shape[d] && strides[d] >= 1,
              "[{}, {}) by {} is not inside dimension {}, which has {}", start[d], limit[d],
              strides[d], d, type.shape[d]);
    // This form cannot overflow for any stride.
    type.shape[d] = start[d] == limit[d] ? 0 : (limit[d] - start[d] - 1) / strides[d] + 1;
  }
  return {type};
}

std::vector<Literal> evaluate_slice(const Call& call, std::span<const Literal> x) {
  const Integers &start = call.integers("start_indices"), &strides = call.integers("strides");
  return moved(infer_slice(call)[0], x[0], [&](Integers index) {
    for (std::size_t d = 0; d < index.size(); ++d) index[d] = start[d] + index[d] * strides[d];
    return index;
  });
}

void d_slice(Backward& b) {
  const Integers &low = b.call().integers("start_indices"), &strides = b.call().integers("strides");
  const Shape &x = b.operand(0).shape(), &y = b.d().shape();
  Integers high(low.size()), interior(low.size());
  for (std::size_t d = 0; d < low.size(); ++d) {
    interior[d] = strides[d] - 1;
    high[d] = x[d] - low[d] - (y[d] == 0 ? 0 : (y[d] - 1) * strides[d] + 1);
  }
  b.give(0, pad(b.d(), constant_like(b.d(), 0), low, high, interior));
}

std::vector<Type> infer_pad(const Call& call) {
  const Integers &low = call.integers("edge_padding_low"),
                 &high = call.integers("edge_padding_high"),
                 &interior = call.integers("interior_padding");
  Type type = call.operands[0];
  call.need(call.operands[1] == Type{type.element, {}}, "the padding is {}, not {}",
            to_string(call.operands[1]), to_string(Type{type.element, {}}));
  for (const auto name : {"edge_padding_low", "edge_padding_high", "interior_padding"}) {
    need_length(call, name, type.rank());
  }
  for (std::size_t d = 0; d < low.size(); ++d) {
    const auto fits = [](int64_t n) { return n >= -kMostElements && n <= kMostElements; };
    call.need(fits(low[d]) && fits(high[d]) && interior[d] >= 0 && interior[d] <= kMostElements,
              "padding {}, {}, {} of dimension {} is impossible", low[d], high[d], interior[d], d);
    const int64_t size = type.shape[d];
    const int64_t gaps = std::max<int64_t>(size - 1, 0);
    call.need(interior[d] == 0 || gaps <= kMostElements / interior[d],
              "interior padding {} is too much", interior[d]);
    type.shape[d] = low[d] + high[d] + size + gaps * interior[d];
    call.need(type.shape[d] >= 0, "dimension {} would have {} elements", d, type.shape[d]);
  }
  return {type};
}

std::vector<Literal> evaluate_pad(const Call& call, std::span<const Literal> x) {
  const Integers &low = call.integers("edge_padding_low"),
                 &interior = call.integers("interior_padding");
  const Type type = infer_pad(call)[0];
  Literal result{type, std::vector<double>(element_count(type.shape), x[1].at(0))};
  const Integers strides = row_major_strides(type.shape);
  int64_t i = 0;
  for_each_index(x[0].type.shape, [&](Integers index) {
    const double value = x[0].at(i++);
    for (std::size_t d = 0; d < index.size(); ++d) {
      index[d] = low[d] + index[d] * (interior[d] + 1);
      if (index[d] < 0 || index[d] >= type.shape[d]) return;
    }
    result.values[offset(index, strides)] = value;
  });
  return {result};
}

void d_pad(Backward& b) {
  const Integers &low = b.call().integers("edge_padding_low"),
                 &high = b.call().integers("edge_padding_high"),
                 &interior = b.call().integers("interior_padding");
  const Shape& x = b.operand(0).shape();
  Value d_x = b.d();
  if (b.wants(0)) {
    Integers none(low.size(), 0), back_low(low.size()), back_high(low.size()), limit(low.size()),
        strides(low.size());
    for (std::size_t d = 0; d < low.size(); ++d) {
      back_low[d] = -low[d];
      back_high[d] = -high[d];
      strides[d] = interior[d] + 1;
      limit[d] = x[d] == 0 ? 0 : (x[d] - 1) * strides[d] + 1;
    }
    d_x = slice(pad(d_x, constant_like(d_x, 0), back_low, back_high), none, limit, strides);
    b.give(0, d_x);
  }
  if (b.wants(1)) b.give(1, sum(b.d()) - sum(d_x));
}

std::vector<Type> infer_concatenate(const Call& call) {
  const int64_t dimension = call.integer("dimension");
  Type type = call.operands[0];
  need_dimensions(call, {dimension}, type.rank(), "dimension");
  int64_t total = 0;
  for (const Type& x : call.operands) {
    total += x.rank() == type.rank() ? x.shape[dimension] : 0;
    Type other = x;
    if (other.rank() == type.rank()) other.shape[dimension] = type.shape[dimension];
    call.need(other == type, "{} cannot be joined with {}", to_string(x), to_string(type));
  }
  type.shape[dimension] = total;
  return {type};
}

std::vector<Literal> evaluate_concatenate(const Call& call, std::span<const Literal> x) {
  const int64_t dimension = call.integer("dimension");
  Literal result{infer_concatenate(call)[0], {}};
  for_each_index(result.type.shape, [&](Integers index) {
    std::size_t part = 0;
    while (index[dimension] >= x[part].type.shape[dimension]) {
      index[dimension] -= x[part++].type.shape[dimension];
    }
    result.values.push_back(x[part].at(offset(index, row_major_strides(x[part].type.shape))));
  });
  return {result};
}

void d_concatenate(Backward& b) {
  const int64_t dimension = b.call().integer("dimension");
  int64_t from = 0;
  for (std::size_t i = 0; i < b.call().operands.size(); ++i) {
    const int64_t to = from + b.operand(i).dimension(dimension);
    if (b.wants(i)) b.give(i, take(b.d(), dimension, from, to));
    from = to;
  }
}

// ---- dynamic_slice, dynamic_update_slice: a start of scalars, moved until the slice fits ----

void need_starts(const Call& call, std::size_t first, const Shape& sizes) {
  const Shape& x = call.operands[0].shape;
  call.need(sizes.size() == x.size() && call.operands.size() == first + x.size(),
            "a slice needs a size and a start for each of {} dimensions", x.size());
  for (std::size_t d = 0; d < x.size(); ++d) {
    call.need(sizes[d] >= 0 && sizes[d] <= x[d],
              "a slice of {} is not inside dimension {}, which has {}", sizes[d], d, x[d]);
    const Type& start = call.operands[first + d];
    call.need(is_integer(start.element) && start.rank() == 0, "start {} is not an integer scalar",
              to_string(start));
  }
}

std::vector<Type> infer_dynamic_slice(const Call& call) {
  const Integers& sizes = call.integers("slice_sizes");
  need_starts(call, 1, sizes);
  return {{call.operands[0].element, sizes}};
}

Integers starts(std::span<const Literal> x, std::size_t first, const Shape& sizes) {
  Integers start;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    start.push_back(std::clamp<int64_t>(static_cast<int64_t>(x[first + d].at(0)), 0,
                                        x[0].type.shape[d] - sizes[d]));
  }
  return start;
}

std::vector<Literal> evaluate_dynamic_slice(const Call& call, std::span<const Literal> x) {
  const Type type = infer_dynamic_slice(call)[0];
  const Integers start = starts(x, 1, type.shape);
  return moved(type, x[0], [&](Integers index) {
    for (std::size_t d = 0; d < index.size(); ++d) index[d] += start[d];
    return index;
  });
}

std::vector<Value> start_values(const Backward& b, std::size_t first) {
  std::vector<Value> values;
  for (std::size_t i = first; i < b.call().operands.size(); ++i) values.push_back(b.operand(i));
  return values;
}

void d_dynamic_slice(Backward& b) {
  const Value zeros = broadcast_to(constant_like(b.d(), 0), b.operand(0).shape());
  b.give(0, dynamic_update_slice(zeros, b.d(), start_values(b, 1)));
}

std::vector<Type> infer_dynamic_update_slice(const Call& call) {
  call.need(call.operands.size() >= 2, "has no update");
  call.need(call.operands[0].element == call.operands[1].element, "the elements differ");
  need_starts(call, 2, call.operands[1].shape);
  return {call.operands[0]};
}

std::vector<Literal> evaluate_dynamic_update_slice(const Call&, std::span<const Literal> x) {
  Literal result{x[0].type, {}};
  for (int64_t i = 0; i < element_count(x[0].type.shape); ++i) result.values.push_back(x[0].at(i));
  const Integers start = starts(x, 2, x[1].type.shape);
  const Integers strides = row_major_strides(x[0].type.shape);
  int64_t i = 0;
  for_each_index(x[1].type.shape, [&](const Integers& index) {
    result.values[offset(index, strides) + offset(start, strides)] = x[1].at(i++);
  });
  return {result};
}

void d_dynamic_update_slice(Backward& b) {
  const std::vector<Value> start = start_values(b, 2);
  const Shape& sizes = b.operand(1).shape();
  if (b.wants(0)) {
    const Value zeros = broadcast_to(constant_like(b.d(), 0), sizes);
    b.give(0, dynamic_update_slice(b.d(), zeros, start));
  }
  if (b.wants(1)) b.give(1, dynamic_slice(b.d(), start, sizes));
}

}  // namespace

std::span<const OperationKind> part_kinds() {
  static const std::vector<OperationKind> kKinds = {
      {.name = "slice",
       .attributes = {{"start_indices", Form::kIntegers},
                      {"limit_indices", Form::kIntegers},
                      {"strides", Form::kIntegers}},
       .infer = infer_slice,
       .evaluate = evaluate_slice,
       .gradient = d_slice},
      {.name = "pad",
       .operands = 2,
       .attributes = {{"edge_padding_low", Form::kIntegers},
                      {"edge_padding_high", Form::kIntegers},
                      {"interior_padding", Form::kIntegers}},
       .infer = infer_pad,
       .evaluate = evaluate_pad,
       .gradient = d_pad},
      {.name = "concatenate",
       .operands = -1,
       .attributes = {{"dimension"}},
       .infer = infer_concatenate,
       .evaluate = evaluate_concatenate,
       .gradient = d_concatenate},
      {.name = "dynamic_slice",
       .operands = -1,
       .attributes = {{"slice_sizes", Form::kIntegers}},
       .infer = infer_dynamic_slice,
       .evaluate = evaluate_dynamic_slice,
       .gradient = d_dynamic_slice},
      {.name = "dynamic_update_slice",
       .operands = -1,
       .infer = infer_dynamic_update_slice,
       .evaluate = evaluate_dynamic_update_slice,
       .gradient = d_dynamic_update_slice},
  };
  return kKinds;
}

}  // namespace systole::graph
