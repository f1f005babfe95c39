#pragma once

#include <cstddef>
#include <cstdint>

#include "host/device/product.h"

namespace systole {

/// The images whose patches are a product's A, dense in memory as load_patches reads them.
class Patched {
 public:
  /// Limits   has_patches
  explicit Patched(const Product& product);

  std::int64_t images_bytes() const { return images_ * image_bytes(); }
  /// Of one line of a patch.
  std::int64_t line_bytes() const { return std::int64_t{shape_.kernel_width} * shape_.pixel_bytes; }

  /// Writes `count` patches from patch `first` on, `row_bytes` apart, each with its lines
  /// `line_stride` bytes apart and zeros between and beyond them.
  void gather(const std::byte* images, std::int64_t first, std::int64_t count,
              std::int64_t line_stride, std::int64_t row_bytes, int threads, std::byte* to) const;

 private:
  std::int64_t image_bytes() const {
    return std::int64_t{shape_.height} * shape_.width * shape_.pixel_bytes;
  }
  void gather_one(const std::byte* image, std::int64_t top, std::int64_t left,
                  std::int64_t line_stride, std::int64_t row_bytes, std::byte* to) const;

  device::LoadPatches shape_;
  std::int64_t images_;
};

}  // namespace systole
