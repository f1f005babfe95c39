#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "host/nn/numbers/generator.h"
#include "host/nn/numbers/shape.h"

namespace systole::nn {

/// Random changes that keep what an image shows, drawn again each time it is used.
///
/// Shapes   an image is height, width, channels
/// Limits   crop_padding >= 0 and smaller than height and width
/// Numbers  depends on the order's seed, the epoch and the sample alone, not on the batch size or
///          where a run was resumed
struct Augmentation {
  bool flip = false;              ///< mirrors left and right, half of the time
  std::int64_t crop_padding = 0;  ///< shifts by up to this many pixels; new ones are 0

  bool is_on() const { return flip || crop_padding > 0; }

  /// Errors   std::invalid_argument for samples that are not images, or smaller than the padding
  void check(const Shape& sample_shape) const;

  /// "none", "flip, crop 4".
  std::string describe() const;

  void apply(std::span<const float> image, const Shape& shape, Generator generator,
             std::span<float> result) const;
};

}  // namespace systole::nn
