#pragma once

#include <optional>

#include "host/nn/layers/window.h"

namespace systole::nn {

/// y = the largest value of each window, channel by channel; the gradient goes to its position, the
/// first of equals. The part of a kSame window outside the image does not count.
///
/// Shapes   [height, width, channels] to [output height, output width, channels]
/// Limits   pool and strides >= 1
/// Numbers  NaN is larger than everything, so a broken run shows in its loss
/// Errors   std::invalid_argument for invalid options and samples of another shape
struct MaxPooling2D {
  Size2D pool = {2, 2};
  std::optional<Size2D> strides = {};  ///< default: the pool's size, so that windows do not overlap
  Padding padding = Padding::kValid;

  static std::string kind() { return "MaxPooling2D"; }
  Value operator()(Builder& builder, Value x) const;
};

/// y = the mean of each window, channel by channel, over its part inside the image: a kSame border
/// does not dilute the mean. Otherwise as MaxPooling2D.
struct AveragePooling2D {
  Size2D pool = {2, 2};
  std::optional<Size2D> strides = {};
  Padding padding = Padding::kValid;

  static std::string kind() { return "AveragePooling2D"; }
  Value operator()(Builder& builder, Value x) const;
};

}  // namespace systole::nn
