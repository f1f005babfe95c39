#pragma once

#include "host/nn/layer.h"

namespace systole::nn {

/// Y = X W + b.
///
/// Shapes   X [rows, inputs], W [inputs, units], b [units], Y [rows, units]; X is one-dimensional
///          per sample (put Flatten before it otherwise)
/// Limits   units >= 1
/// Numbers  dW = X^T dY and dX = dY W^T are products of the device; db is the column sum of dY,
/// rows
///          ascending, in fp32. W starts uniform in +-sqrt(6 / (inputs + units)), b at zero.
/// Errors   std::invalid_argument for a sample that is not one-dimensional or units < 1
/// Source   Glorot and Bengio, AISTATS 2010, for the initial weights
struct Dense {
  std::int64_t units = 0;

  std::unique_ptr<Layer> make() const;
};

}  // namespace systole::nn
