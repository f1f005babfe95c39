#pragma once

#include <functional>

#include "host/graph/graph.h"

namespace systole::graph {

/// A function of a first and a second element of each operand, applied to tensors of one shape.
using Combine =
    std::function<std::vector<Value>(const std::vector<Value>&, const std::vector<Value>&)>;

/// Reduces each of x along `dimensions` by a function of the user's own: pairs of neighbours, then
/// pairs of these, as StableHLO leaves the order to the implementation. `starts` are scalars.
///
/// Errors   GraphError for dimensions that do not exist, and operands of several shapes
std::vector<Value> reduce_by(const Combine& combine, const std::vector<Value>& x,
                             const std::vector<Value>& starts, const Integers& dimensions);

struct Window {
  Integers size, strides;
  Integers padding;  ///< low and high of each dimension
  Integers base_dilation, dilation;
};

/// The same of each window, tap by tap; `shape` is the result's.
///
/// Errors   GraphError for windows that do not fit, or of more than 4,096 taps
std::vector<Value> reduce_window_by(const Combine& combine, const std::vector<Value>& x,
                                    const std::vector<Value>& starts, const Window& window,
                                    const Shape& shape);

}  // namespace systole::graph
