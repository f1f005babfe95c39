#include "host/compiler/schedule/patches.h"

#include <algorithm>
#include <numeric>

#include "host/device/element_size.h"
#include "systole/support/ceil_div.h"

namespace systole {

// Lines begin at whole pixels, anywhere in a beat that they can; on average they reach into so many
// beats. A walk with a bus wider than the array's words finds the next patch beside the lines
// (load_patches.h).
std::int64_t clocks_of_patches(const device::LoadPatches& patches, std::int64_t count,
                               std::int64_t words, const DeviceSizes& sizes) {
  const std::int64_t beat = sizes.beat_bytes(), lines = patches.kernel_height;
  const std::int64_t bytes = std::int64_t{patches.kernel_width} * patches.pixel_bytes;
  const std::int64_t step = std::gcd(std::int64_t{patches.pixel_bytes}, beat);
  const bool is_ahead = beat > sizes.array_size;
  const std::int64_t walk = is_ahead ? std::max<std::int64_t>(lines, 2) : lines + 2;
  return std::max(count * lines * (beat + bytes - step) / beat, count * std::max(walk, words));
}

std::optional<Patches> find_patches(const Product& product, const DeviceSizes& sizes) {
  if (!has_patches(product)) return std::nullopt;
  return Patches(product, sizes);
}

Patches::Patches(const Product& product, const DeviceSizes& sizes)
    : shape_(device::decode_load_patches(product.patches)),
      sizes_(sizes),
      address_(product.a),
      count_(product.transpose_a ? product.depth : product.rows),
      element_bytes_(operand_size_bytes(product.type)),
      line_elements_(shape_.kernel_width * channels()),
      cols_(product.cols),
      transposed_(product.transpose_a),
      has_ones_(product.ones != 0) {
  if (shape_.stride != 1 || lines() == 1 || count_ < positions()) return;
  // A block of at least N patches must leave room for the next one.
  if (2 * most_rows(sizes.array_size) * line_tiles() > sizes.row_words) return;
  by_lines_ = clocks_by_lines() <= clocks_whole();
}

std::int64_t Patches::line_tiles() const {
  return ceil_div(line_elements_, std::int64_t{sizes_.array_size});
}

// A cut leaves lines out by moving the images up, and something must be left of them.
bool Patches::can_be_cut() const { return lines() - 1 - shape_.pad_top < shape_.height; }

std::int64_t Patches::unit_tiles() const {
  const std::int64_t n = sizes_.array_size;
  return line_elements_ % n == 0 && can_be_cut() ? line_elements_ / n : ceil_div(elements(), n);
}

// Multiplies `elements` of each patch, for `patches` patches without a pause.
std::int64_t Patches::array_clocks(std::int64_t elements, std::int64_t patches) const {
  const std::int64_t n = sizes_.array_size, groups = ceil_div(cols_, n);
  if (transposed_) return std::max(elements, n) * ceil_div(patches, n) * groups;
  return std::max(patches, n) * ceil_div(elements, n) * groups;
}

// The array's clocks or the bus', which also brings the result to whoever reads it next, or B,
// whose rows are as many.
std::int64_t Patches::clocks(std::int64_t array, std::int64_t loads) const {
  const std::int64_t n = sizes_.array_size;
  const std::int64_t bias = has_ones_ ? count_ * ceil_div(cols_, n) : 0;
  const std::int64_t row = ceil_div(cols_ * element_bytes_, sizes_.beat_bytes());
  return std::max(array + bias, loads + count_ * row);
}

std::int64_t Patches::clocks_whole() const {
  const std::int64_t words = ceil_div(elements(), std::int64_t{sizes_.array_size});
  return clocks(array_clocks(elements(), count_), clocks_of_patches(shape_, count_, words, sizes_));
}

std::int64_t Patches::clocks_by_lines() const {
  device::LoadPatches line = shape_;
  line.kernel_height = 1;
  return clocks(images() * lines() * array_clocks(line_elements_, positions()),
                clocks_of_patches(line, images() * most_rows(positions()), line_tiles(), sizes_));
}

void Patches::cut(std::int64_t patch, std::int64_t element, BlockKey& key) const {
  const std::int64_t line = element / line_elements_;
  if (by_lines_) {
    const std::int64_t reached = transposed_ ? key.cols / line_elements_ : lines();
    return cut_lines(patch, transposed_ ? line : 0, reached, key);
  }
  device::LoadPatches part = shape_;
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

// An image has as many lines of patches as the kernel reaches, from its first line at the first
// pixel to its last at the last.
void Patches::cut_lines(std::int64_t patch, std::int64_t line, std::int64_t count,
                        BlockKey& key) const {
  device::LoadPatches part = shape_;
  part.kernel_height = 1;
  part.out_height = static_cast<std::uint16_t>(shape_.out_height + lines() - 1);
  const std::int64_t first = patch / positions(), last = (patch + key.rows - 1) / positions();
  const std::int64_t start = loaded_row(patch);
  key.address = address_ + static_cast<std::uint64_t>(first * image_bytes());
  key.rows = loaded_row(patch + key.rows - 1) - start + 1 + (count - 1) * line_rows();
  key.cols = line_elements_;
  key.row_stride = image_bytes();
  key.patches = device::encode(part);
  key.first_patch = start - loaded_row(first * positions()) + line * line_rows();
  key.extent = (last + 1 - first) * image_bytes();
}

std::int64_t Patches::loaded_row(std::int64_t patch) const {
  return patch + patch / positions() * zero_rows();
}

std::vector<Patches::Run> Patches::runs(std::int64_t patch, std::int64_t rows) const {
  std::vector<Run> runs;
  for (std::int64_t first = 0; first < rows;) {
    const std::int64_t left = positions() - (patch + first) % positions();
    const std::int64_t count = std::min(left, rows - first);
    runs.push_back({first, count, loaded_row(patch + first) - loaded_row(patch)});
    first += count;
  }
  return runs;
}

std::int64_t Patches::most_rows(std::int64_t rows) const {
  std::int64_t images = (rows + positions() - 2) / positions() + 1;
  if (rows % positions() == 0) images = rows / positions();
  if (positions() % rows == 0) images = 1;
  return rows + images * zero_rows();
}

}  // namespace systole
