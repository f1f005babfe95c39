#include "host/nn/training/augmentation.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace systole::nn {

void Augmentation::check(const Shape& sample_shape) const {
  if (!is_on()) return;
  if (sample_shape.size() != 3) {
    throw std::invalid_argument(
        fmt::format("augmentation needs images of height x width x channels; a sample is {}",
                    to_string(sample_shape)));
  }
  if (crop_padding < 0 || crop_padding >= std::min(sample_shape[0], sample_shape[1])) {
    throw std::invalid_argument(fmt::format("crop_padding {} does not fit images of {}",
                                            crop_padding, to_string(sample_shape)));
  }
}

std::string Augmentation::describe() const {
  if (!is_on()) return "none";
  const std::string crop = crop_padding > 0 ? fmt::format("crop {}", crop_padding) : "";
  if (!flip) return crop;
  return crop.empty() ? "flip" : "flip, " + crop;
}

void Augmentation::apply(std::span<const float> image, const Shape& shape, Generator generator,
                         std::span<float> result) const {
  const std::int64_t height = shape[0], width = shape[1], channels = shape[2];
  const bool flipped = flip && generator.below(2) == 1;
  const auto span = static_cast<std::uint64_t>(2 * crop_padding + 1);
  const auto down = static_cast<std::int64_t>(generator.below(span)) - crop_padding;
  const auto right = static_cast<std::int64_t>(generator.below(span)) - crop_padding;
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      const std::int64_t from_y = y + down;
      const std::int64_t from_x = (flipped ? width - 1 - x : x) + right;
      const bool inside = from_y >= 0 && from_y < height && from_x >= 0 && from_x < width;
      float* pixel = &result[(y * width + x) * channels];
      if (inside) {
        std::copy_n(&image[(from_y * width + from_x) * channels], channels, pixel);
      } else {
        std::fill_n(pixel, channels, 0.0f);
      }
    }
  }
}

}  // namespace systole::nn
