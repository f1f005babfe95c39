#include "host/nn/layers/window.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace systole::nn {
namespace {

struct Side {
  std::int64_t output, before;
};

Side place(std::int64_t input, std::int64_t size, std::int64_t stride, Padding padding) {
  if (padding == Padding::kValid) return {.output = (input - size) / stride + 1, .before = 0};
  const std::int64_t output = (input + stride - 1) / stride;
  const std::int64_t border = std::max<std::int64_t>(0, (output - 1) * stride + size - input);
  return {.output = output, .before = border / 2};
}

void need_positive(std::string_view layer, std::string_view what, Size2D value) {
  if (value.height >= 1 && value.width >= 1) return;
  throw std::invalid_argument(
      fmt::format("{}: {} is {} x {}, not >= 1", layer, what, value.height, value.width));
}

}  // namespace

Window make_window(std::string_view layer, const Shape& sample, Size2D size, Size2D strides,
                   Padding padding) {
  need_positive(layer, "the window", size);
  need_positive(layer, "strides", strides);
  if (sample.size() != 3) {
    throw std::invalid_argument(
        fmt::format("{}: a sample is {}, not height x width x channels", layer, to_string(sample)));
  }
  if (padding == Padding::kValid && (size.height > sample[0] || size.width > sample[1])) {
    throw std::invalid_argument(
        fmt::format("{}: a window of {} x {} does not fit samples of {}; use a smaller one, or "
                    "Padding::kSame",
                    layer, size.height, size.width, to_string(sample)));
  }
  const Side rows = place(sample[0], size.height, strides.height, padding);
  const Side cols = place(sample[1], size.width, strides.width, padding);
  return {.input = {sample[0], sample[1]},
          .size = size,
          .strides = strides,
          .output = {rows.output, cols.output},
          .channels = sample[2],
          .top = rows.before,
          .left = cols.before};
}

}  // namespace systole::nn
