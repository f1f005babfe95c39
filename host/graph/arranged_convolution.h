#pragma once

#include "host/graph/graph.h"

namespace systole::graph {

/// A convolution whose dimensions lie where a device has them, and what makes its result the one
/// that was asked for.
struct ArrangedConvolution {
  Operation convolution;
  std::vector<Value> operands;
  Shape shape;     ///< of the result without the dimension that a line of pixels has got
  Integers order;  ///< then transposes it; empty if it lies as asked

  Value result(Value y) const;
};

/// Channels last, two spatial dimensions and no holes in the images:
/// "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]" and JAX's two gradients of it stay; of others the
/// operands are transposed, and holes become zeros of a pad.
///
/// Limits   one group; other numbers of spatial dimensions than one and two stay as they are
ArrangedConvolution arranged_convolution(const Operation& convolution,
                                         const std::vector<Value>& operands);

}  // namespace systole::graph
