#pragma once

#include "host/nn/layers/activation.h"
#include "host/nn/layers/initializer.h"
#include "host/nn/layers/window.h"

namespace systole::nn {

/// Y[r, c, f] = b[f] + sum over y, x, k of X[r * strides.height + y - top, ..., k] W[y, x, k, f]:
/// a window's dot product with each filter, then the activation.
///
/// Shapes   X [height, width, channels] per sample, W [kernel.height, kernel.width, channels,
///          filters], b [filters], Y [output height, output width, filters]; see place_window
/// Limits   filters, kernel and strides >= 1
/// Numbers  W starts from the initializer, with fans kernel area * channels and * filters; b at 0
/// Errors   std::invalid_argument for invalid options and samples of another shape
struct Conv2D {
  std::int64_t filters = 0;
  Size2D kernel = {3, 3};
  Size2D strides = {1, 1};
  Padding padding = Padding::kValid;
  Function activation = Function::kLinear;
  Initializer initializer = Initializer::kGlorotUniform;

  static std::string kind() { return "Conv2D"; }
  std::string description() const { return description_with(kind(), activation); }
  Value operator()(Builder& builder, Value x) const;
};

}  // namespace systole::nn
