#pragma once

#include <optional>
#include <vector>

#include "host/graph/read_statement.h"

namespace systole::graph {

/// Whether a value is an iota along a dimension.
bool counts_along(Value places, std::int64_t dimension);

/// Reads the reduce over two operands that JAX makes of argmax and argmin: the extreme of floats or
/// integers along a dimension, and the first of its places. NaN is the extreme.
///
///     stablehlo.reduce(%x init: %0), (%places init: %1) across dimensions = [1] : ... reducer(...)
///
/// Returns nothing, and reads nothing, where another statement comes next.
///
/// Errors   GraphError with the place, for another reduce over two operands
std::optional<std::vector<Value>> read_argmax(Scanner& in, const Names& names);

/// The largest or the smallest along a dimension, and the first of its places, or of a NaN.
///
/// Errors   GraphError unless `places` counts along the dimension, from 0
std::vector<Value> extreme(Value x, Value start, Value places, std::int64_t dimension,
                           bool is_largest);

}  // namespace systole::graph
