#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "host/nn/numbers/generator.h"
#include "host/nn/numbers/shape.h"

namespace systole::nn {

/// Random changes of an image that keep what it shows: each time it is trained with, another one.
///
/// Shapes   an image is height, width, channels
/// Limits   crop_padding >= 0 and smaller than height and width
/// Numbers  seeded by the order's seed, the epoch and the sample: the same in every run, however it
///          is cut into batches, and wherever it is resumed
struct Augmentation {
  bool flip = false;              ///< left and right change places, half of the time
  std::int64_t crop_padding = 0;  ///< shifted by up to so many pixels; what comes in is 0

  bool is_on() const { return flip || crop_padding > 0; }

  /// Errors   std::invalid_argument for samples that are no images or smaller than the padding
  void check(const Shape& sample_shape) const;

  /// "none", "flip, crop 4".
  std::string describe() const;

  void apply(std::span<const float> image, const Shape& shape, Generator generator,
             std::span<float> result) const;
};

}  // namespace systole::nn
