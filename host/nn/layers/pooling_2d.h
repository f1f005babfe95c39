#pragma once

#include <optional>

#include "host/nn/layers/window.h"

namespace systole::nn {

/// y = the largest value of each window, channel by channel; the gradient goes to where it was, the
/// first one of equals. What a kSame window has beyond the border does not count.
///
/// Shapes   [height, width, channels] to [output height, output width, channels]
/// Limits   pool and strides >= 1
/// Numbers  NaN is larger than everything, so that a broken run is seen in its loss
/// Errors   std::invalid_argument for options and samples that do not fit
struct MaxPooling2D {
  Size2D pool = {2, 2};
  std::optional<Size2D> strides = {};  ///< default: the pool's size, so that windows do not overlap
  Padding padding = Padding::kValid;

  static std::string kind() { return "MaxPooling2D"; }
  Value operator()(Builder& builder, Value x) const;
};

/// y = the mean of each window, channel by channel, over what of it lies in the image: a kSame
/// border does not dilute the mean. The rest as MaxPooling2D.
struct AveragePooling2D {
  Size2D pool = {2, 2};
  std::optional<Size2D> strides = {};
  Padding padding = Padding::kValid;

  static std::string kind() { return "AveragePooling2D"; }
  Value operator()(Builder& builder, Value x) const;
};

}  // namespace systole::nn
