#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "host/compiler/schedule/word_ring.h"
#include "host/device/device_sizes.h"
#include "host/device/product.h"

namespace systole {

/// The patches of images that are a product's A, and how they are loaded.
///
/// A load brings lines of patches: all their elements, or from one of the kernel's lines on. Or
/// patches go by lines: a load brings one line of the kernel at each place of the images, with
/// zeros above and below, and serves all lines of the kernel, since one pixel's second line is the
/// next pixel's first. Then the depth of the product, or with transpose_a its rows, is split at the
/// kernel's lines, and patches at each image's last.
class Patches {
 public:
  /// Limits   the product has patches
  Patches(const Product& product, const DeviceSizes& sizes);

  std::int64_t elements() const { return lines() * line_elements_; }
  std::int64_t images() const { return count_ / positions(); }
  std::int64_t image_bytes() const {
    return std::int64_t{shape_.height} * shape_.width * shape_.pixel_bytes;
  }
  std::int64_t channels() const { return shape_.pixel_bytes / element_bytes_; }
  std::int64_t positions() const { return std::int64_t{shape_.out_height} * shape_.out_width; }
  std::int64_t count() const { return count_; }
  std::int64_t lines() const { return shape_.kernel_height; }  ///< of the kernel
  std::int64_t line_elements() const { return line_elements_; }
  std::int64_t line_tiles() const;

  /// Whether they go by lines: where that takes no longer, as far as the product's shape says.
  /// Results depend on it, not on the product's tiling.
  bool by_lines() const { return by_lines_; }
  /// The elements of depth after which a tile begins anew; 0: none before the end.
  std::int64_t stretch() const {
    if (!by_lines_) return 0;
    return transposed_ ? positions() : line_elements_;
  }
  /// About how long the product takes the array or the bus, whichever is more.
  std::int64_t clocks() const { return by_lines_ ? clocks_by_lines() : clocks_whole(); }

  /// The depth of a product can be split at multiples of this many tiles of N elements: whole
  /// lines.
  std::int64_t unit_tiles() const;
  /// Rows of C can be split at multiples of this many elements where patches are transposed.
  std::int64_t unit_rows() const { return can_be_cut() ? line_elements_ : elements(); }

  /// Makes `key`, whose rows are patches and whose columns are their elements, the block from patch
  /// `patch` and element `element` on. By lines, it is what those of the kernel's lines need that
  /// are the block's with transpose_a, else all.
  void cut(std::int64_t patch, std::int64_t element, BlockKey& key) const;

  /// By lines: patches of one image in a block.
  struct Run {
    std::int64_t first = 0, rows = 0;  ///< patches of the block
    std::int64_t row = 0;              ///< the loaded row of the first one's first line
  };
  std::vector<Run> runs(std::int64_t patch, std::int64_t rows) const;
  /// By lines: from the row of a patch's line of the kernel to that of the next.
  std::int64_t line_rows() const { return shape_.out_width; }
  /// By lines: the most rows to load for `rows` patches from a multiple of `rows` on.
  std::int64_t most_rows(std::int64_t rows) const;

 private:
  bool can_be_cut() const;
  std::int64_t zero_rows() const { return (lines() - 1) * line_rows(); }
  std::int64_t loaded_row(std::int64_t patch) const;
  std::int64_t clocks(std::int64_t array, std::int64_t loads) const;
  std::int64_t clocks_whole() const;
  std::int64_t clocks_by_lines() const;
  std::int64_t array_clocks(std::int64_t elements, std::int64_t patches) const;
  void cut_lines(std::int64_t patch, std::int64_t line, std::int64_t count, BlockKey& key) const;

  device::LoadPatches shape_;
  DeviceSizes sizes_;
  std::uint64_t address_;
  std::int64_t count_, element_bytes_, line_elements_, cols_;
  bool transposed_, has_ones_;
  bool by_lines_ = false;
};

/// Those of a product whose A is patches.
std::optional<Patches> find_patches(const Product& product, const DeviceSizes& sizes);

/// The clocks in which load brings `count` patches, or lines of them, into `words` words each.
std::int64_t clocks_of_patches(const device::LoadPatches& patches, std::int64_t count,
                               std::int64_t words, const DeviceSizes& sizes);

}  // namespace systole
