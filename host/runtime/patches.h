#pragma once

#include <cstdint>

#include "host/driver/product.h"
#include "host/runtime/word_ring.h"

namespace systole {

/// The patches of images that are a product's A, and how they are cut into loads.
///
/// A load brings lines of patches: all their elements, or from one of the kernel's lines on.
class Patches {
 public:
  /// Limits   the product has patches
  explicit Patches(const Product& product);

  std::int64_t elements() const { return shape_.kernel_height * line_elements_; }
  std::int64_t images() const { return count_ / positions(); }
  std::int64_t image_bytes() const {
    return std::int64_t{shape_.height} * shape_.width * shape_.pixel_bytes;
  }
  std::int64_t channels() const { return shape_.pixel_bytes / element_bytes_; }
  std::int64_t positions() const { return std::int64_t{shape_.out_height} * shape_.out_width; }
  std::int64_t count() const { return count_; }

  /// The tiles of N elements at whose multiples the depth of a product can be cut: whole lines.
  std::int64_t unit_tiles(std::int64_t n) const;
  /// The elements at whose multiples rows of C can be cut where patches are transposed.
  std::int64_t unit_rows() const { return can_be_cut() ? line_elements_ : elements(); }

  /// Makes `key`, whose rows are patches and whose columns are their elements, the block from patch
  /// `patch` and element `element` on.
  void cut(std::int64_t patch, std::int64_t element, BlockKey& key) const;

 private:
  bool can_be_cut() const;

  device::LoadPatches shape_;
  std::uint64_t address_;
  std::int64_t count_, element_bytes_, line_elements_;
};

}  // namespace systole
