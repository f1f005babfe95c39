#pragma once

#include "host/graph/graph.h"

namespace systole::graph {

// StableHLO's operations as functions, with its operand order and semantics; each throws GraphError
// with the scope and the types if they do not fit.

Value constant(Graph& graph, const Type& type, double value);
Value constant(Graph& graph, Literal literal);
Value iota(Graph& graph, const Type& type, std::int64_t dimension);
/// Constants of the value's type.
Value constant_like(Value value, double number);

// Elementwise. These and the operators broadcast like NumPy: shapes align at their last dimension,
// and a dimension of 1 repeats. A number becomes a constant of the other operand's type.
Value add(Value a, Value b);
Value subtract(Value a, Value b);
Value multiply(Value a, Value b);
Value divide(Value a, Value b);
Value power(Value a, Value b);
Value maximum(Value a, Value b);
Value minimum(Value a, Value b);
Value negate(Value x);
Value abs(Value x);
Value sign(Value x);
Value exponential(Value x);
Value exponential_minus_one(Value x);
Value log(Value x);
Value log_plus_one(Value x);
Value sqrt(Value x);
Value rsqrt(Value x);
Value tanh(Value x);
Value erf(Value x);
Value logistic(Value x);
Value sine(Value x);
Value cosine(Value x);
/// EQ, NE, LT, LE, GT, GE; the result is a predicate.
Value compare(Value a, std::string_view direction, Value b);
Value compare(Value a, std::string_view direction, double b);
Value select(Value predicate, Value if_true, Value if_false);
Value clamp(Value low, Value x, Value high);
Value convert(Value x, Element element);

inline Value operator+(Value a, Value b) { return add(a, b); }
inline Value operator-(Value a, Value b) { return subtract(a, b); }
inline Value operator*(Value a, Value b) { return multiply(a, b); }
inline Value operator/(Value a, Value b) { return divide(a, b); }
inline Value operator-(Value x) { return negate(x); }
inline Value operator+(Value a, double b) { return add(a, constant_like(a, b)); }
inline Value operator-(Value a, double b) { return subtract(a, constant_like(a, b)); }
inline Value operator*(Value a, double b) { return multiply(a, constant_like(a, b)); }
inline Value operator/(Value a, double b) { return divide(a, constant_like(a, b)); }
inline Value operator+(double a, Value b) { return add(constant_like(b, a), b); }
inline Value operator-(double a, Value b) { return subtract(constant_like(b, a), b); }
inline Value operator*(double a, Value b) { return multiply(constant_like(b, a), b); }
inline Value operator/(double a, Value b) { return divide(constant_like(b, a), b); }

// Moving values.
Value broadcast_in_dim(Value x, const Shape& shape, const Integers& dimensions);
Value broadcast_to(Value x, const Shape& shape);  ///< like NumPy's broadcast_to
Value reshape(Value x, const Shape& shape);
Value transpose(Value x, const Integers& permutation);
Value slice(Value x, const Integers& start, const Integers& limit, Integers strides = {});
/// One index of a dimension, which is removed; or [from, to) of it.
Value take(Value x, std::int64_t dimension, std::int64_t index);
Value take(Value x, std::int64_t dimension, std::int64_t from, std::int64_t to);
Value pad(Value x, Value value, const Integers& low, const Integers& high, Integers interior = {});
Value concatenate(std::span<const Value> values, std::int64_t dimension);
Value reverse(Value x, const Integers& dimensions);
Value dynamic_slice(Value x, std::span<const Value> start, const Shape& sizes);
Value dynamic_update_slice(Value x, Value update, std::span<const Value> start);

// Sums. `body` is add, maximum, minimum, multiply, and, or.
Value reduce(Value x, Value init, std::string_view body, const Integers& dimensions);
Value sum(Value x, const Integers& dimensions);
Value sum(Value x);  ///< of all elements
Value mean(Value x, const Integers& dimensions);
Value max(Value x, const Integers& dimensions);
/// Repeats x, whose shape lacks `dimensions`, along them.
Value repeat(Value x, const Shape& shape, const Integers& dimensions);

// Products.
struct DotDimensions {
  Integers lhs_batching = {}, rhs_batching = {}, lhs_contracting = {}, rhs_contracting = {};
};
Value dot_general(Value a, Value b, const DotDimensions& dimensions);
Value matmul(Value a, Value b);  ///< contracts a's last dimension with b's first

struct WindowOptions {
  Integers size = {};  ///< of reduce_window and select_and_scatter
  Integers strides = {}, low = {}, high = {}, base_dilation = {}, dilation = {};
};
/// dimensions: "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]".
Value convolution(Value x, Value w, std::string_view dimensions, const WindowOptions& window);
Value reduce_window(Value x, Value init, std::string_view body, const WindowOptions& window);
/// Adds each element of `source` at the first largest element of its window.
Value select_and_scatter(Value x, Value source, Value init, const WindowOptions& window);

// By index.
struct GatherDimensions {
  Integers offset_dims, collapsed_slice_dims, start_index_map;
  std::int64_t index_vector_dim = 0;
};
Value gather(Value x, Value indices, const GatherDimensions& dimensions, const Shape& slice_sizes);
struct ScatterDimensions {
  Integers update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims;
  std::int64_t index_vector_dim = 0;
};
Value scatter(Value x, Value indices, Value updates, std::string_view body,
              const ScatterDimensions& dimensions);
/// Rows of a table [rows, ...] by numbers of any shape, to which the result adds a row's shape.
Value take_rows(Value table, Value numbers);

struct RandomBits {
  Value state, bits;
};
/// Bits that depend only on the state: four ui32, a key of two and a counter of two.
RandomBits rng_bit_generator(Value state, const Shape& shape);

}  // namespace systole::graph
