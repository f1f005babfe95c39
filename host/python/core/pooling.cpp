#include "host/python/core/pooling.h"

#include <limits>
#include <vector>

#include "host/cpu/parallel.h"

namespace systole::python {
namespace {

constexpr std::int64_t kElementsOfPart = 1 << 16;  // what is worth another thread

// Calls work(the first image, the one after the last) for parts of the images.
template <typename Work>
void split_images(const Pooling& pooling, int threads, const Work& work) {
  const std::int64_t elements =
      pooling.images * pooling.rows.input * pooling.columns.input * pooling.channels;
  const std::int64_t parts = std::clamp<std::int64_t>(elements / kElementsOfPart, 1, threads);
  graph::for_each_part(threads, parts, [&](std::int64_t i) {
    work(pooling.images * i / parts, pooling.images * (i + 1) / parts);
  });
}

// Calls window(the result's first element, the image's first of each pixel) for each window; a
// pixel's channels follow each other, so loops over them are vectors.
template <typename Work>
void each_window(const Pooling& pooling, std::int64_t first, std::int64_t end, const Work& window) {
  const auto& [images, rows, columns, channels] = pooling;
  std::vector<std::int64_t> pixels;
  std::int64_t result = first * rows.output * columns.output * channels;
  for (std::int64_t n = first; n < end; ++n) {
    for (std::int64_t row = 0; row < rows.output; ++row) {
      for (std::int64_t column = 0; column < columns.output; ++column, result += channels) {
        pixels.clear();
        for (std::int64_t y = rows.begin(row); y < rows.end(row); ++y) {
          for (std::int64_t x = columns.begin(column); x < columns.end(column); ++x) {
            pixels.push_back(((n * rows.input + y) * columns.input + x) * channels);
          }
        }
        window(result, pixels);
      }
    }
  }
}

// A NaN stays.
bool is_larger(float x, float best) { return !(best >= x || best != best); }

void take_larger(const float* x, std::int32_t number, std::vector<float>& best,
                 std::vector<std::int32_t>& where) {
  for (std::size_t c = 0; c < best.size(); ++c) {
    const bool larger = is_larger(x[c], best[c]);
    best[c] = larger ? x[c] : best[c];
    where[c] = larger ? number : where[c];
  }
}

}  // namespace

void max_pool(const Pooling& pooling, const float* x, float* y, int threads) {
  const std::int64_t channels = pooling.channels;
  split_images(pooling, threads, [&](std::int64_t first, std::int64_t end) {
    each_window(pooling, first, end, [&](std::int64_t at, const std::vector<std::int64_t>& pixels) {
      float* to = y + at;
      std::fill_n(to, channels, -std::numeric_limits<float>::infinity());
      for (const std::int64_t pixel : pixels) {
        const float* from = x + pixel;
        for (std::int64_t c = 0; c < channels; ++c)
          to[c] = is_larger(from[c], to[c]) ? from[c] : to[c];
      }
    });
  });
}

void max_pool_gradient(const Pooling& pooling, const float* x, const float* d_y, float* d_x,
                       int threads) {
  const std::int64_t channels = pooling.channels;
  const std::int64_t image = pooling.rows.input * pooling.columns.input * channels;
  split_images(pooling, threads, [&](std::int64_t first, std::int64_t end) {
    std::fill(d_x + first * image, d_x + end * image, 0.0f);
    std::vector<float> best(static_cast<std::size_t>(channels));
    std::vector<std::int32_t> where(best.size());  // the pixel's number in its window
    each_window(pooling, first, end, [&](std::int64_t at, const std::vector<std::int64_t>& pixels) {
      if (pixels.empty()) return;
      std::copy_n(x + pixels[0], channels, best.begin());
      std::ranges::fill(where, 0);
      for (std::size_t i = 1; i < pixels.size(); ++i) {
        take_larger(x + pixels[i], static_cast<std::int32_t>(i), best, where);
      }
      const float* d = d_y + at;
      for (std::size_t i = 0; i < pixels.size(); ++i) {
        float* to = d_x + pixels[i];
        const auto number = static_cast<std::int32_t>(i);
        for (std::int64_t c = 0; c < channels; ++c) to[c] += where[c] == number ? d[c] : 0.0f;
      }
    });
  });
}

}  // namespace systole::python
