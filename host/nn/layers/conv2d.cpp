#include "host/nn/layers/conv2d.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace systole::nn {
namespace {

// Padding before and after an image's rows or columns.
std::pair<std::int64_t, std::int64_t> border(Padding padding, std::int64_t input, std::int64_t size,
                                             std::int64_t stride) {
  if (padding == Padding::kValid) return {0, 0};
  const std::int64_t windows = (input + stride - 1) / stride;
  const std::int64_t missing = std::max<std::int64_t>(0, (windows - 1) * stride + size - input);
  return {missing / 2, missing - missing / 2};
}

void need_positive(std::string_view layer, std::string_view what, Size2D value) {
  if (value.height >= 1 && value.width >= 1) return;
  throw std::invalid_argument(
      fmt::format("{}: {} is {} x {}, not >= 1", layer, what, value.height, value.width));
}

}  // namespace

graph::WindowOptions place_window(std::string_view layer, Value x, Size2D size, Size2D strides,
                                  Padding padding) {
  need_positive(layer, "the window", size);
  need_positive(layer, "strides", strides);
  const Shape sample = sample_shape(x);
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
  const auto [top, bottom] = border(padding, sample[0], size.height, strides.height);
  const auto [left, right] = border(padding, sample[1], size.width, strides.width);
  return {.size = {size.height, size.width},
          .strides = {strides.height, strides.width},
          .low = {top, left},
          .high = {bottom, right}};
}

Value Conv2D::operator()(Builder& builder, Value x) const {
  if (filters < 1) {
    throw std::invalid_argument(fmt::format("Conv2D: filters is {}, not >= 1", filters));
  }
  graph::WindowOptions window = place_window(kind(), x, kernel, strides, padding);
  window.size.clear();  // the kernel's
  const std::int64_t channels = x.dimension(3), area = kernel.height * kernel.width;
  const Value w = builder.weight("weight", {kernel.height, kernel.width, channels, filters},
                                 initial(initializer, area * channels, area * filters));
  const Value y = convolution(x, w, "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", window);
  return activation(y + builder.weight("bias", {filters}, constantly(0)));
}

}  // namespace systole::nn
