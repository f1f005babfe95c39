#pragma once

#include <algorithm>
#include <cstdint>

// Pooling by maximum, as loops on this processor.
namespace systole::python {

/// A dimension that windows move along.
struct PooledAxis {
  std::int64_t input, size, stride, output;
  std::int64_t low = 0;  ///< padding before the first element

  /// The first element of a window, and the one after its last.
  std::int64_t begin(std::int64_t at) const { return std::max<std::int64_t>(0, at * stride - low); }
  std::int64_t end(std::int64_t at) const { return std::min(input, at * stride - low + size); }
};

/// Images [images, rows, columns, channels] become [images, rows.output, columns.output, channels].
struct Pooling {
  std::int64_t images;
  PooledAxis rows, columns;
  std::int64_t channels;
};

/// The largest of each window, -infinity of an empty one, NaN of one with a NaN.
void max_pool(const Pooling& pooling, const float* x, float* y, int threads);

/// The first of equal maxima takes its window's gradient.
void max_pool_gradient(const Pooling& pooling, const float* x, const float* d_y, float* d_x,
                       int threads);

}  // namespace systole::python
