#pragma once

#include "host/nn/layers/activation.h"
#include "host/nn/layers/layer.h"

namespace systole::nn {

/// Y = f(X W + b), f the activation.
///
/// Shapes   X [rows, inputs], W [inputs, units], b [units], Y [rows, units]; X is one-dimensional
///          per sample (put Flatten before it otherwise)
/// Limits   units >= 1
/// Timing   on the device but for the conversion of what comes from the host; a ReLU, its own
///          or of a Relu behind it, is done with it, and what the next Dense takes stays there
/// Numbers  Y's sums start from b; dW = X^T dY and dX = dY W^T are products of the device; db is
///          the column sum of dY, rounded as the product's operand is. W starts uniform in
///          +-sqrt(6 / (inputs + units)), b at zero.
/// Errors   std::invalid_argument for a sample that is not one-dimensional or units < 1
/// Source   Glorot and Bengio, AISTATS 2010, for the initial weights
struct Dense {
  std::int64_t units = 0;
  Function activation = Function::kLinear;

  std::unique_ptr<Layer> make() const;
};

}  // namespace systole::nn
