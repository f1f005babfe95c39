#pragma once

#include <optional>

#include "host/nn/layers/layer.h"
#include "host/nn/layers/window.h"

namespace systole::nn {

/// y = the mean of each window, channel by channel; dx = the sum of dy / n over the windows that x
/// is in. n counts what of a window lies in the image: a kSame border does not dilute the mean.
///
/// Shapes   [height, width, channels] to [output height, output width, channels]; see Window
/// Limits   pool and strides >= 1
/// Numbers  fp32; the sum in ascending order, then times 1 / n
/// Errors   std::invalid_argument for options and samples that do not fit
struct AveragePooling2D {
  Size2D pool = {2, 2};
  std::optional<Size2D> strides = {};  ///< default: the pool's size, so that windows do not overlap
  Padding padding = Padding::kValid;

  std::unique_ptr<Layer> make() const;
};

}  // namespace systole::nn
