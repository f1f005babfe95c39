#pragma once

#include <optional>

#include "host/nn/layers/layer.h"
#include "host/nn/layers/window.h"

namespace systole::nn {

/// y = the largest value of each window, channel by channel; dx = dy where it was, the first one of
/// equals, and 0 elsewhere. What a kSame window has beyond the border does not count.
///
/// Shapes   [height, width, channels] to [output height, output width, channels]; see Window
/// Limits   pool and strides >= 1, at most 256 values in a window
/// Numbers  NaN is larger than everything, so that a broken run is seen in its loss
/// Errors   std::invalid_argument for options and samples that do not fit
struct MaxPooling2D {
  Size2D pool = {2, 2};
  std::optional<Size2D> strides = {};  ///< default: the pool's size, so that windows do not overlap
  Padding padding = Padding::kValid;

  std::unique_ptr<Layer> make() const;
};

}  // namespace systole::nn
