#include <algorithm>

#include "host/graph/gradient.h"
#include "host/graph/operations/moved.h"
#include "host/graph/operations/operations.h"
#include "host/graph/ops.h"

// Constants, and operations that only move values.
namespace systole::graph {
namespace {

using std::int64_t;

// ---- constant, iota ----

std::vector<Type> infer_constant(const Call& call) {
  const auto& literal = call.get<Literal>("value");
  call.need(is_countable(literal.type.shape), "{} is not a valid shape",
            to_string(literal.type.shape));
  call.need(literal.is_splat() ||
                static_cast<int64_t>(literal.values.size()) == element_count(literal.type.shape),
            "{} values cannot fill {}", literal.values.size(), to_string(literal.type));
  for (const double value : literal.values) {
    const double kept = round_to(literal.type.element, value);
    call.need(kept == value || (kept != kept && value != value), "{} is not a value of {}", value,
              to_string(literal.type.element));
  }
  return {literal.type};
}

std::vector<Literal> evaluate_constant(const Call& call, std::span<const Literal>) {
  Literal result = call.get<Literal>("value");
  const double first = result.values[0];
  if (result.is_splat()) result.values.assign(element_count(result.type.shape), first);
  return {result};
}

std::vector<Type> infer_iota(const Call& call) {
  const Type& type = call.get<Type>("type");
  call.need(type.element != Element::kPred, "iota of predicates does not exist");
  need_dimensions(call, {call.integer("iota_dimension")}, type.rank(), "iota_dimension");
  return {type};
}

std::vector<Literal> evaluate_iota(const Call& call, std::span<const Literal>) {
  const Type& type = call.get<Type>("type");
  Literal result{type, {}};
  for_each_index(type.shape, [&](const Integers& index) {
    result.values.push_back(
        round_to(type.element, static_cast<double>(index[call.integer("iota_dimension")])));
  });
  return {result};
}

// ---- broadcast_in_dim, reshape, transpose, reverse ----

std::vector<Type> infer_broadcast(const Call& call) {
  const Type &type = call.get<Type>("type"), &x = call.operands[0];
  const Integers& dimensions = call.integers("broadcast_dimensions");
  need_length(call, "broadcast_dimensions", x.rank());
  need_dimensions(call, dimensions, type.rank(), "broadcast dimension");
  call.need(type.element == x.element, "the result cannot be {}", to_string(type));
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const int64_t size = type.shape[dimensions[d]];
    call.need(x.shape[d] == size || x.shape[d] == 1,
              "dimension {} of size {} does not repeat to {}", d, x.shape[d], size);
  }
  return {type};
}

std::vector<Literal> evaluate_broadcast(const Call& call, std::span<const Literal> x) {
  const Integers& dimensions = call.integers("broadcast_dimensions");
  return moved(call.get<Type>("type"), x[0], [&](const Integers& index) {
    Integers from(dimensions.size());
    for (std::size_t d = 0; d < from.size(); ++d) {
      from[d] = x[0].type.shape[d] == 1 ? 0 : index[dimensions[d]];
    }
    return from;
  });
}

void d_broadcast(Backward& b) {
  const Integers& dimensions = b.call().integers("broadcast_dimensions");
  const Shape& shape = b.operand(0).shape();
  Integers summed;
  for (int64_t d = 0; d < b.d().type().rank(); ++d) {
    const auto found = std::ranges::find(dimensions, d);
    if (found == dimensions.end() || shape[found - dimensions.begin()] != b.d().dimension(d)) {
      summed.push_back(d);
    }
  }
  Value total = summed.empty() ? b.d() : sum(b.d(), summed);
  // The remaining dimensions are in the result's order, which may differ from the operand's.
  if (!std::ranges::is_sorted(dimensions)) {
    Integers order, kept;
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
      if (!contains(summed, dimensions[i])) kept.push_back(dimensions[i]);
    }
    for (const int64_t d : kept) {
      order.push_back(std::ranges::count_if(kept, [&](int64_t other) { return other < d; }));
    }
    total = transpose(total, order);
  }
  b.give(0, reshape(total, shape));
}

std::vector<Type> infer_reshape(const Call& call) {
  const Type& type = call.get<Type>("type");
  call.need(type.element == call.operands[0].element && is_countable(type.shape) &&
                element_count(type.shape) == element_count(call.operands[0].shape),
            "it cannot become {}", to_string(type));
  return {type};
}

std::vector<Literal> evaluate_reshape(const Call& call, std::span<const Literal> x) {
  return {{call.get<Type>("type"), x[0].values}};
}

void d_reshape(Backward& b) { b.give(0, reshape(b.d(), b.operand(0).shape())); }

std::vector<Type> infer_transpose(const Call& call) {
  const Integers& permutation = call.integers("permutation");
  const Type& x = call.operands[0];
  need_length(call, "permutation", x.rank());
  need_dimensions(call, permutation, x.rank(), "dimension");
  Type type{x.element, {}};
  for (const int64_t d : permutation) type.shape.push_back(x.shape[d]);
  return {type};
}

std::vector<Literal> evaluate_transpose(const Call& call, std::span<const Literal> x) {
  const Integers& permutation = call.integers("permutation");
  return moved(infer_transpose(call)[0], x[0], [&](const Integers& index) {
    Integers from(index.size());
    for (std::size_t d = 0; d < index.size(); ++d) from[permutation[d]] = index[d];
    return from;
  });
}

void d_transpose(Backward& b) {
  const Integers& permutation = b.call().integers("permutation");
  Integers inverse(permutation.size());
  for (std::size_t d = 0; d < inverse.size(); ++d) {
    inverse[permutation[d]] = static_cast<int64_t>(d);
  }
  b.give(0, transpose(b.d(), inverse));
}

std::vector<Type> infer_reverse(const Call& call) {
  need_dimensions(call, call.integers("dimensions"), call.operands[0].rank(), "dimension");
  return {call.operands[0]};
}

std::vector<Literal> evaluate_reverse(const Call& call, std::span<const Literal> x) {
  return moved(x[0].type, x[0], [&](Integers index) {
    for (const int64_t d : call.integers("dimensions")) {
      index[d] = x[0].type.shape[d] - 1 - index[d];
    }
    return index;
  });
}

void d_reverse(Backward& b) { b.give(0, reverse(b.d(), b.call().integers("dimensions"))); }

}  // namespace

std::span<const OperationKind> shape_kinds() {
  static const std::vector<OperationKind> kKinds = {
      {.name = "constant",
       .operands = 0,
       .attributes = {{"value", Form::kLiteral}},
       .infer = infer_constant,
       .evaluate = evaluate_constant},
      {.name = "iota",
       .operands = 0,
       .attributes = {{"iota_dimension"}, {"type", Form::kType}},
       .infer = infer_iota,
       .evaluate = evaluate_iota},
      {.name = "broadcast_in_dim",
       .attributes = {{"broadcast_dimensions", Form::kIntegers}, {"type", Form::kType}},
       .infer = infer_broadcast,
       .evaluate = evaluate_broadcast,
       .gradient = d_broadcast},
      {.name = "reshape",
       .attributes = {{"type", Form::kType}},
       .infer = infer_reshape,
       .evaluate = evaluate_reshape,
       .gradient = d_reshape},
      {.name = "transpose",
       .attributes = {{"permutation", Form::kIntegers}},
       .infer = infer_transpose,
       .evaluate = evaluate_transpose,
       .gradient = d_transpose},
      {.name = "reverse",
       .attributes = {{"dimensions", Form::kIntegers}},
       .infer = infer_reverse,
       .evaluate = evaluate_reverse,
       .gradient = d_reverse},
  };
  return kKinds;
}

}  // namespace systole::graph
