#include "host/runtime/patches.h"

#include <algorithm>

#include "host/driver/element_size.h"
#include "systole/support/ceil_div.h"

namespace systole {

Patches::Patches(const Product& product)
    : shape_(device::decode_load_patches(product.patches)),
      address_(product.a),
      count_(product.transpose_a ? product.depth : product.rows),
      element_bytes_(operand_size_bytes(product.type)),
      line_elements_(shape_.kernel_width * channels()) {}

// A cut leaves lines out by moving the images up, and something must be left of them.
bool Patches::can_be_cut() const {
  return shape_.kernel_height - 1 - shape_.pad_top < shape_.height;
}

std::int64_t Patches::unit_tiles(std::int64_t n) const {
  return line_elements_ % n == 0 && can_be_cut() ? line_elements_ / n : ceil_div(elements(), n);
}

void Patches::cut(std::int64_t patch, std::int64_t element, BlockKey& key) const {
  device::LoadPatches part = shape_;
  const std::int64_t line = element / line_elements_;
  const std::int64_t above = std::min<std::int64_t>(line, shape_.pad_top), moved = line - above;
  part.kernel_height = static_cast<std::uint8_t>(ceil_div(key.cols, line_elements_));
  part.pad_top = static_cast<std::uint8_t>(shape_.pad_top - above);
  part.height = static_cast<std::uint16_t>(shape_.height - moved);
  const std::int64_t first = patch / positions(), last = (patch + key.rows - 1) / positions();
  const std::int64_t start = first * image_bytes() + moved * shape_.width * shape_.pixel_bytes;
  key.address = address_ + static_cast<std::uint64_t>(start);
  key.row_stride = image_bytes();
  key.patches = device::encode(part);
  key.first_patch = patch % positions();
  key.extent = (last + 1) * image_bytes() - start;
}

}  // namespace systole
