#pragma once

#include "host/nn/layers/activation.h"
#include "host/nn/layers/initializer.h"
#include "host/nn/layers/layer.h"
#include "host/nn/layers/window.h"

namespace systole::nn {

/// Y[r, c, f] = b[f] + sum over y, x, k of X[r * strides.height + y - top, ..., k] W[y, x, k, f]:
/// a window's dot product with each filter, then the activation.
///
/// Shapes   X [height, width, channels] per sample, W [kernel.height, kernel.width, channels,
///          filters], b [filters], Y [output height, output width, filters]; see Window
/// Limits   filters, kernel and strides >= 1
/// Timing   the device multiplies matrices of patches (im2col), a slab of samples at a time
/// Numbers  Y = P W, dW = P^T dY and dP = dY W^T are products of the device, with P the patches; dW
///          and db, the column sum of dY, are of the device, too; those of several slabs are added
///          in fp32, ascending. W starts from the initializer with fans of kernel area * channels
///          and * filters, b at 0.
/// Errors   std::invalid_argument for options and samples that do not fit
struct Conv2D {
  /// How many values of patches there may be.
  struct Memory {
    std::int64_t slab_values = std::int64_t{1} << 23;  ///< in one product; at least one sample's
    /// From forward to backward of a step; a batch that has more makes them twice.
    std::int64_t kept_values = std::int64_t{1} << 26;
  };

  std::int64_t filters = 0;
  Size2D kernel = {3, 3};
  Size2D strides = {1, 1};
  Padding padding = Padding::kValid;
  Function activation = Function::kLinear;
  Initializer initializer = Initializer::kGlorotUniform;
  Memory memory = {};

  std::unique_ptr<Layer> make() const;
};

}  // namespace systole::nn
