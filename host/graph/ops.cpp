#include "host/graph/ops.h"

#include <algorithm>

namespace systole::graph {
namespace {

// Broadcasts both to one shape by NumPy's rule.
Shape common_shape(Value a, Value b, std::string_view operation) {
  const Shape &left = a.shape(), &right = b.shape();
  const std::size_t rank = std::max(left.size(), right.size());
  Shape shape(rank);
  for (std::size_t d = 0; d < rank; ++d) {
    const auto from_end = [&](const Shape& s) {
      return d < s.size() ? s[s.size() - 1 - d] : std::int64_t{1};
    };
    const std::int64_t x = from_end(left), y = from_end(right);
    if (x != y && x != 1 && y != 1) {
      const std::string& scope = a.graph().scope();
      throw GraphError(fmt::format("{}{}{}({}, {}): the shapes do not broadcast", scope,
                                   scope.empty() ? "" : ": ", operation, to_string(a.type()),
                                   to_string(b.type())));
    }
    shape[rank - 1 - d] = x == 1 ? y : x;
  }
  return shape;
}

Value binary(std::string_view name, Value a, Value b, std::vector<Attribute> attributes = {}) {
  const Shape shape = common_shape(a, b, name);
  return a.graph().add(name, {broadcast_to(a, shape), broadcast_to(b, shape)},
                       std::move(attributes));
}

Value unary(std::string_view name, Value x) { return x.graph().add(name, {x}); }

Integers or_all(Integers numbers, std::size_t rank, std::int64_t usual) {
  if (numbers.empty()) numbers.assign(rank, usual);
  return numbers;
}

Integers pairs(const Integers& low, const Integers& high) {
  Integers both;
  for (std::size_t d = 0; d < low.size(); ++d) {
    both.push_back(low[d]);
    both.push_back(high.at(d));
  }
  return both;
}

std::vector<Attribute> window_attributes(const WindowOptions& window) {
  const std::size_t rank = window.size.size();
  return {or_all(window.base_dilation, rank, 1),
          pairs(or_all(window.low, rank, 0), or_all(window.high, rank, 0)),
          or_all(window.dilation, rank, 1), window.size, or_all(window.strides, rank, 1)};
}

std::vector<Value> with(std::initializer_list<Value> first, std::span<const Value> rest) {
  std::vector<Value> all(first);
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

}  // namespace

Value constant(Graph& graph, const Type& type, double value) {
  return constant(graph, Literal{type, {round_to(type.element, value)}});
}
Value constant(Graph& graph, Literal literal) {
  return graph.add("constant", {}, {std::move(literal)});
}
Value constant_like(Value value, double number) {
  return constant(value.graph(), {value.type().element, {}}, number);
}
Value iota(Graph& graph, const Type& type, std::int64_t dimension) {
  return graph.add("iota", {}, {dimension, type});
}

Value add(Value a, Value b) { return binary("add", a, b); }
Value subtract(Value a, Value b) { return binary("subtract", a, b); }
Value multiply(Value a, Value b) { return binary("multiply", a, b); }
Value divide(Value a, Value b) { return binary("divide", a, b); }
Value power(Value a, Value b) { return binary("power", a, b); }
Value maximum(Value a, Value b) { return binary("maximum", a, b); }
Value minimum(Value a, Value b) { return binary("minimum", a, b); }
Value negate(Value x) { return unary("negate", x); }
Value abs(Value x) { return unary("abs", x); }
Value sign(Value x) { return unary("sign", x); }
Value exponential(Value x) { return unary("exponential", x); }
Value exponential_minus_one(Value x) { return unary("exponential_minus_one", x); }
Value log(Value x) { return unary("log", x); }
Value log_plus_one(Value x) { return unary("log_plus_one", x); }
Value sqrt(Value x) { return unary("sqrt", x); }
Value rsqrt(Value x) { return unary("rsqrt", x); }
Value tanh(Value x) { return unary("tanh", x); }
Value erf(Value x) { return unary("erf", x); }
Value logistic(Value x) { return unary("logistic", x); }
Value sine(Value x) { return unary("sine", x); }
Value cosine(Value x) { return unary("cosine", x); }
Value compare(Value a, std::string_view direction, Value b) {
  return binary("compare", a, b, {std::string(direction)});
}
Value compare(Value a, std::string_view direction, double b) {
  return compare(a, direction, constant_like(a, b));
}
Value select(Value predicate, Value if_true, Value if_false) {
  const Shape shape = common_shape(if_true, if_false, "select");
  return predicate.graph().add("select",
                               {broadcast_to(predicate, shape), broadcast_to(if_true, shape),
                                broadcast_to(if_false, shape)});
}
Value clamp(Value low, Value x, Value high) {
  return x.graph().add("clamp", {broadcast_to(low, x.shape()), x, broadcast_to(high, x.shape())});
}
Value convert(Value x, Element element) {
  if (x.type().element == element) return x;
  return x.graph().add("convert", {x}, {Type{element, x.shape()}});
}

Value broadcast_in_dim(Value x, const Shape& shape, const Integers& dimensions) {
  return x.graph().add("broadcast_in_dim", {x}, {dimensions, Type{x.type().element, shape}});
}
Value broadcast_to(Value x, const Shape& shape) {
  if (x.shape() == shape) return x;
  Integers dimensions = counting(x.type().rank());
  for (auto& d : dimensions) d += static_cast<std::int64_t>(shape.size()) - x.type().rank();
  return broadcast_in_dim(x, shape, dimensions);
}
Value reshape(Value x, const Shape& shape) {
  if (x.shape() == shape) return x;
  return x.graph().add("reshape", {x}, {Type{x.type().element, shape}});
}
Value transpose(Value x, const Integers& permutation) {
  return x.graph().add("transpose", {x}, {permutation});
}
Value slice(Value x, const Integers& start, const Integers& limit, Integers strides) {
  return x.graph().add("slice", {x}, {start, limit, or_all(std::move(strides), start.size(), 1)});
}
Value take(Value x, std::int64_t dimension, std::int64_t from, std::int64_t to) {
  const auto d = static_cast<std::size_t>(dimension < 0 ? dimension + x.type().rank() : dimension);
  Integers start(x.shape().size(), 0), limit = x.shape();
  start.at(d) = from;
  limit.at(d) = to;
  return slice(x, start, limit);
}
Value take(Value x, std::int64_t dimension, std::int64_t index) {
  const std::int64_t d = dimension < 0 ? dimension + x.type().rank() : dimension;
  Shape shape = x.shape();
  shape.erase(shape.begin() + d);
  return reshape(take(x, d, index, index + 1), shape);
}
Value pad(Value x, Value value, const Integers& low, const Integers& high, Integers interior) {
  return x.graph().add("pad", {x, value}, {low, high, or_all(std::move(interior), low.size(), 0)});
}
Value concatenate(std::span<const Value> values, std::int64_t dimension) {
  if (values.empty()) throw GraphError("concatenate: there are no values");
  return values[0].graph().add(find_kind("concatenate"), values, {dimension})[0];
}
Value reverse(Value x, const Integers& dimensions) {
  return x.graph().add("reverse", {x}, {dimensions});
}
Value dynamic_slice(Value x, std::span<const Value> start, const Shape& sizes) {
  return x.graph().add(find_kind("dynamic_slice"), with({x}, start), {sizes})[0];
}
Value dynamic_update_slice(Value x, Value update, std::span<const Value> start) {
  return x.graph().add(find_kind("dynamic_update_slice"), with({x, update}, start), {})[0];
}

Value reduce(Value x, Value init, std::string_view body, const Integers& dimensions) {
  return x.graph().add("reduce", {x, init}, {dimensions, std::string(body)});
}
Value sum(Value x, const Integers& dimensions) {
  return reduce(x, constant_like(x, 0), "add", dimensions);
}
Value sum(Value x) { return sum(x, counting(x.type().rank())); }
Value mean(Value x, const Integers& dimensions) {
  const Value total = sum(x, dimensions);
  const auto parts = std::max<std::int64_t>(1, element_count(total.shape()));
  return total * (static_cast<double>(parts) / static_cast<double>(element_count(x.shape())));
}
Value max(Value x, const Integers& dimensions) {
  return reduce(x, constant_like(x, -std::numeric_limits<double>::infinity()), "maximum",
                dimensions);
}
Value repeat(Value x, const Shape& shape, const Integers& dimensions) {
  Integers kept;
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(shape.size()); ++d) {
    if (!contains(dimensions, d)) kept.push_back(d);
  }
  return broadcast_in_dim(x, shape, kept);
}

Value dot_general(Value a, Value b, const DotDimensions& dimensions) {
  Dimensions lists;
  lists.lists = {{"lhs_batching_dimensions", dimensions.lhs_batching},
                 {"rhs_batching_dimensions", dimensions.rhs_batching},
                 {"lhs_contracting_dimensions", dimensions.lhs_contracting},
                 {"rhs_contracting_dimensions", dimensions.rhs_contracting}};
  return a.graph().add("dot_general", {a, b}, {lists});
}
Value matmul(Value a, Value b) {
  return dot_general(a, b, {.lhs_contracting = {a.type().rank() - 1}, .rhs_contracting = {0}});
}
Value convolution(Value x, Value w, std::string_view dimensions, const WindowOptions& window) {
  const std::size_t rank = x.shape().size() < 2 ? 0 : x.shape().size() - 2;
  return x.graph().add("convolution", {x, w},
                       {std::int64_t{1}, std::string(dimensions), std::int64_t{1},
                        or_all(window.base_dilation, rank, 1),
                        pairs(or_all(window.low, rank, 0), or_all(window.high, rank, 0)),
                        or_all(window.dilation, rank, 1), or_all(window.strides, rank, 1)});
}
Value reduce_window(Value x, Value init, std::string_view body, const WindowOptions& window) {
  std::vector<Attribute> attributes = window_attributes(window);
  attributes.emplace_back(std::string(body));
  return x.graph().add("reduce_window", {x, init}, std::move(attributes));
}
Value select_and_scatter(Value x, Value source, Value init, const WindowOptions& window) {
  const std::size_t rank = window.size.size();
  return x.graph().add(
      "select_and_scatter", {x, source, init},
      {pairs(or_all(window.low, rank, 0), or_all(window.high, rank, 0)), window.size,
       or_all(window.strides, rank, 1), std::string("compare GE"), std::string("add")});
}

Value gather(Value x, Value indices, const GatherDimensions& dimensions, const Shape& slice_sizes) {
  Dimensions lists;
  lists.lists = {{"offset_dims", dimensions.offset_dims},
                 {"collapsed_slice_dims", dimensions.collapsed_slice_dims},
                 {"start_index_map", dimensions.start_index_map},
                 {"index_vector_dim", {dimensions.index_vector_dim}}};
  return x.graph().add("gather", {x, indices}, {lists, slice_sizes});
}
Value scatter(Value x, Value indices, Value updates, std::string_view body,
              const ScatterDimensions& dimensions) {
  Dimensions lists;
  lists.lists = {{"update_window_dims", dimensions.update_window_dims},
                 {"inserted_window_dims", dimensions.inserted_window_dims},
                 {"scatter_dims_to_operand_dims", dimensions.scatter_dims_to_operand_dims},
                 {"index_vector_dim", {dimensions.index_vector_dim}}};
  return x.graph().add("scatter", {x, indices, updates}, {lists, std::string(body)});
}
Value take_rows(Value table, Value numbers) {
  const std::int64_t rank = numbers.type().rank();
  Shape sizes = table.shape();
  if (sizes.empty()) throw GraphError("take_rows: a scalar has no rows");
  sizes[0] = 1;
  Integers offsets = counting(table.type().rank() - 1);
  for (auto& d : offsets) d += rank;
  return gather(table, numbers,
                {.offset_dims = offsets,
                 .collapsed_slice_dims = {0},
                 .start_index_map = {0},
                 .index_vector_dim = rank},
                sizes);
}

RandomBits rng_bit_generator(Value state, const Shape& shape) {
  const std::vector<Value> operands = {state};
  const auto results = state.graph().add(find_kind("rng_bit_generator"), operands,
                                         {std::string("DEFAULT"), Type{Element::kU32, shape}});
  return {results[0], results[1]};
}

}  // namespace systole::graph
