#pragma once

#include <cstdint>
#include <string_view>

#include "host/nn/layers/layer.h"

namespace systole::nn {

/// Height and width of a window or its strides: {3, 3}.
struct Size2D {
  std::int64_t height = 1;
  std::int64_t width = 1;
};

/// Padding in Keras' words: kValid windows lie inside the image; kSame windows may cross its
/// border, so that there are ceil(input / stride) of them.
enum class Padding : std::uint8_t { kValid, kSame };

/// How a window slides over the rows and columns of images, as the graph's operations take it.
///
/// Limits   sizes and strides >= 1; with kValid the window fits the image
/// Numbers  kSame splits an odd border so that the larger half is below and to the right, as Keras
/// Errors   std::invalid_argument with the layer's name for a sample that is not [height, width,
///          channels], a size or stride < 1, and a window larger than the image it must fit
graph::WindowOptions place_window(std::string_view layer, Value x, Size2D size, Size2D strides,
                                  Padding padding);

}  // namespace systole::nn
