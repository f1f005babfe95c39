#pragma once

#include <algorithm>
#include <optional>

#include "host/graph/convolution.h"
#include "host/graph/graph.h"

namespace systole::graph {

/// How a window slides over images [batch, height, width, channels]. A patch is one window's
/// content: rows, columns and channels, 0 outside the image.
struct Images {
  std::int64_t batch = 0, channels = 0;
  WindowDimension y, x;

  friend bool operator==(const Images&, const Images&) = default;
  std::int64_t size() const { return y.input * x.input * channels; }  ///< of one image
  std::int64_t patch() const { return y.size * x.size * channels; }
  std::int64_t positions() const { return y.output * x.output; }

  /// Writes the patches of `count` positions from `first` on.
  template <typename T>
  void lay_out(const T* images, std::int64_t first, std::int64_t count, T* patches) const {
    const T* image = images + first / positions() * size();
    std::int64_t row = first % positions() / x.output, col = first % x.output;
    for (std::int64_t p = 0; p < count; ++p) {
      for (std::int64_t i = 0; i < y.size; ++i) {
        const std::int64_t from_y = y.source(row, i);
        if (from_y < 0) {
          patches = std::fill_n(patches, x.size * channels, T{});
          continue;
        }
        const T* line = image + from_y * x.input * channels;
        const std::int64_t left = col * x.stride - x.low;
        if (lies_inside(left)) {
          patches = copy_line(line + left * channels, x.size * channels, patches);
          continue;
        }
        for (std::int64_t j = 0; j < x.size; ++j) {
          const std::int64_t from_x = x.source(col, j);
          patches = from_x < 0 ? std::fill_n(patches, channels, T{})
                               : copy_line(line + from_x * channels, channels, patches);
        }
      }
      if (++col < x.output) continue;
      col = 0;
      if (++row < y.output) continue;
      row = 0;
      image += size();
    }
  }

  /// The inverse for one image: adds each value of its patches where it came from, in ascending
  /// order; overwrites `image`.
  void add_back(const float* patches, float* image) const {
    std::fill_n(image, size(), 0.0f);
    const auto add = [&](std::int64_t place, std::int64_t count) {
      float* to = image + place * channels;
      for (std::int64_t k = 0; k < count * channels; ++k) to[k] += patches[k];
    };
    for (std::int64_t row = 0; row < y.output; ++row) {
      for (std::int64_t col = 0; col < x.output; ++col) {
        const std::int64_t left = col * x.stride - x.low;
        for (std::int64_t i = 0; i < y.size; ++i, patches += x.size * channels) {
          const std::int64_t to_y = y.source(row, i);
          if (to_y < 0) continue;
          if (lies_inside(left)) {
            add(to_y * x.input + left, x.size);
            continue;
          }
          const float* line = patches;
          for (std::int64_t j = 0; j < x.size; ++j, patches += channels) {
            const std::int64_t to_x = x.source(col, j);
            if (to_x >= 0) add(to_y * x.input + to_x, 1);
          }
          patches = line;
        }
      }
    }
  }

 private:
  // A window's row without holes, entirely inside the image.
  bool lies_inside(std::int64_t left) const {
    return x.dilation == 1 && x.base_dilation == 1 && left >= 0 && left + x.size <= x.input;
  }

  // Lines are often too short to be worth a call of memcpy.
  template <typename T>
  static T* copy_line(const T* from, std::int64_t count, T* to) {
    constexpr std::int64_t kShort = 16;
    if (count > kShort) return std::copy_n(from, count, to);
    for (std::int64_t i = 0; i < count; ++i) to[i] = from[i];
    return to + count;
  }
};

/// A convolution of images as products with the patches P of X, and W as a matrix [patch, filters]:
/// Y = P W, dX = dY W^T added back to where patches came from, and dW = P^T dY.
struct ImageConvolution {
  enum class Kind : std::uint8_t { kForward, kInputGradient, kKernelGradient };
  Kind kind = Kind::kForward;
  Images images = {};  ///< X and its windows
  std::int64_t filters = 0;
  /// The operands: P's X and W; dY and W; X and dY.
  int left = -1, right = -1;
};

/// None for other layouts, and if X itself has holes.
std::optional<ImageConvolution> image_convolution(const Graph& graph, const Operation& operation);

}  // namespace systole::graph
