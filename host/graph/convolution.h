#pragma once

#include <string>
#include <string_view>

#include "host/graph/operation.h"

namespace systole::graph {

/// Where a convolution's dimensions lie: "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]".
struct ConvolutionDimensions {
  /// One tensor: the positions of its two letters (batch and feature, or the kernel's input and
  /// output features) and of its spatial dimensions in order.
  struct Layout {
    std::int64_t first = 0, second = 0;
    Integers spatial;
    bool operator==(const Layout&) const = default;
  };
  Layout input, kernel, output;

  std::int64_t rank() const { return static_cast<std::int64_t>(input.spatial.size()) + 2; }
};

/// Errors   std::invalid_argument for malformed text
ConvolutionDimensions parse_convolution(std::string_view text);
std::string to_string(const ConvolutionDimensions& dimensions);

/// How a window lies along one dimension: a convolution's, or a pooling's.
struct WindowDimension {
  std::int64_t input = 0, size = 0, output = 0;
  std::int64_t stride = 1, low = 0, high = 0;
  std::int64_t base_dilation = 1;  ///< 1 + the holes between neighbours of the input
  std::int64_t dilation = 1;       ///< 1 + the holes between neighbours of the window

  friend bool operator==(const WindowDimension&, const WindowDimension&) = default;

  static std::int64_t dilated(std::int64_t size, std::int64_t by) {
    return size == 0 ? 0 : (size - 1) * by + 1;
  }
  /// The input element under tap `tap` of window `window`; -1 in a hole or outside.
  std::int64_t source(std::int64_t window, std::int64_t tap) const {
    const std::int64_t place = window * stride + tap * dilation - low;
    if (base_dilation == 1) return place >= 0 && place < input ? place : -1;  // avoids a division
    if (place < 0 || place % base_dilation != 0) return -1;
    return place / base_dilation < input ? place / base_dilation : -1;
  }
};

/// Fills in the output's size; throws GraphError through the call for an impossible window.
WindowDimension place_window(const Call& call, WindowDimension window);

/// A convolution's spatial dimensions.
std::vector<WindowDimension> convolution_windows(const Call& call,
                                                 const ConvolutionDimensions& dimensions);
/// All dimensions of reduce_window and select_and_scatter.
std::vector<WindowDimension> pooling_windows(const Call& call);

}  // namespace systole::graph
