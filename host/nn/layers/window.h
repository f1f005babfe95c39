#pragma once

#include <cstdint>
#include <string_view>

#include "host/nn/numbers/shape.h"

namespace systole::nn {

/// Height and width of a window, or of the steps it takes: {3, 3}.
struct Size2D {
  std::int64_t height = 1;
  std::int64_t width = 1;
};

/// What happens at an image's border, in Keras' words: kValid windows lie inside of it; kSame ones
/// may hang over it, so that there are ceil(input / stride) of them.
enum class Padding : std::uint8_t { kValid, kSame };

/// How a window slides over images [height, width, channels]: what a convolution and the two
/// poolings have in common.
///
/// Shapes   output [output.height, output.width, ...]; window (r, c) begins at the input's row
///          r * strides.height - top and column c * strides.width - left
/// Limits   sizes and strides >= 1; with kValid the window fits the image
/// Numbers  kSame splits an odd border so that the larger half is below and to the right, as Keras
struct Window {
  Size2D input, size, strides, output;
  std::int64_t channels = 0;
  std::int64_t top = 0, left = 0;  ///< rows and columns of border before the image

  std::int64_t input_size() const { return input.height * input.width * channels; }
  std::int64_t output_positions() const { return output.height * output.width; }
  std::int64_t patch_size() const { return size.height * size.width * channels; }
};

/// Places a window on samples of a shape; `layer` is the name for messages.
///
/// Errors   std::invalid_argument for a sample that is not [height, width, channels], a size or
///          stride < 1, and a window larger than the image it must fit
Window make_window(std::string_view layer, const Shape& sample, Size2D size, Size2D strides,
                   Padding padding);

}  // namespace systole::nn
