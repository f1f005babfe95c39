#pragma once

#include <algorithm>
#include <cstdint>

#include "host/nn/layers/window.h"

namespace systole::nn {

/// A window's taps that lie in the image: the same number of them from input and patch.
///
/// Limits   first <= last; first > last is made empty
struct Taps {
  std::int64_t first, last;  ///< [first, last) of 0..size-1
};
inline Taps taps_inside(std::int64_t start, std::int64_t size, std::int64_t extent) {
  const std::int64_t first = std::clamp<std::int64_t>(-start, 0, size);
  return {.first = first, .last = std::clamp(extent - start, first, size)};
}

/// Lays each window of one image out as a row, zero where it hangs over the border.
///
/// Shapes   image [input.height, input.width, channels] to patches [output_positions, patch_size],
///          a patch as [size.height, size.width, channels]
/// Timing   one copy of up to size.width * channels values per row of a window
template <typename T>
void im2col(const Window& window, const T* image, T* patches) {
  const std::int64_t channels = window.channels;
  const std::int64_t patch_row = window.size.width * channels;
  for (std::int64_t r = 0; r < window.output.height; ++r) {
    for (std::int64_t c = 0; c < window.output.width; ++c) {
      const std::int64_t left = c * window.strides.width - window.left;
      const Taps taps = taps_inside(left, window.size.width, window.input.width);
      for (std::int64_t y = 0; y < window.size.height; ++y, patches += patch_row) {
        const std::int64_t row = r * window.strides.height - window.top + y;
        if (row < 0 || row >= window.input.height) {
          std::fill_n(patches, patch_row, T{});
          continue;
        }
        T* next = std::fill_n(patches, taps.first * channels, T{});
        next = std::copy_n(image + (row * window.input.width + left + taps.first) * channels,
                           (taps.last - taps.first) * channels, next);
        std::fill_n(next, (window.size.width - taps.last) * channels, T{});
      }
    }
  }
}

/// The way back: every value of a patch is added to the place in the image that it came from.
///
/// Shapes   as im2col's; image is overwritten
/// Numbers  patches in ascending order, so that the sum does not depend on threads
inline void col2im(const Window& window, const float* patches, float* image) {
  std::fill_n(image, window.input_size(), 0.0f);
  const std::int64_t channels = window.channels;
  const std::int64_t patch_row = window.size.width * channels;
  for (std::int64_t r = 0; r < window.output.height; ++r) {
    for (std::int64_t c = 0; c < window.output.width; ++c) {
      const std::int64_t left = c * window.strides.width - window.left;
      const Taps taps = taps_inside(left, window.size.width, window.input.width);
      for (std::int64_t y = 0; y < window.size.height; ++y, patches += patch_row) {
        const std::int64_t row = r * window.strides.height - window.top + y;
        if (row < 0 || row >= window.input.height) continue;
        float* to = image + (row * window.input.width + left + taps.first) * channels;
        const float* from = patches + taps.first * channels;
        const std::int64_t count = (taps.last - taps.first) * channels;
        for (std::int64_t i = 0; i < count; ++i) to[i] += from[i];
      }
    }
  }
}

}  // namespace systole::nn
