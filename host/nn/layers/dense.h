#pragma once

#include "host/nn/layers/activation.h"
#include "host/nn/layers/layer.h"

namespace systole::nn {

/// Y = f(X W + b), f the activation.
///
/// Shapes   X [rows, inputs] or [rows, steps, inputs], W [inputs, units], b [units], Y as X with
///          units for inputs; put Flatten before it where a sample is an image
/// Limits   units >= 1
/// Numbers  W starts uniform in +-sqrt(6 / (inputs + units)), b at 0
/// Errors   std::invalid_argument for a sample of no or more than two dimensions, or units < 1
/// Source   Glorot and Bengio, AISTATS 2010, for the initial weights
struct Dense {
  std::int64_t units = 0;
  Function activation = Function::kLinear;

  static std::string kind() { return "Dense"; }
  std::string description() const { return description_with(kind(), activation); }
  Value operator()(Builder& builder, Value x) const;
};

}  // namespace systole::nn
