#pragma once

#include <algorithm>
#include <cstdint>

#include "host/device/device_map.h"

namespace systole {

/// The bytes of a line of a patch that lie in its image, one after the other in memory.
struct PatchStretch {
  std::uint64_t address = 0;
  std::uint64_t at = 0, bytes = 0;  ///< from the first byte of the patch on
};

/// Calls use(PatchStretch) for the lines of row `row` of a load of patches, as far as the row's
/// bytes reach, until it returns false. What is in no stretch is zero.
template <typename Use>
void for_each_stretch(const device::LoadPatches& patch, const device::Load& command,
                      std::uint64_t image_stride, std::uint64_t row, std::uint64_t row_bytes,
                      Use use) {
  const std::uint64_t positions = std::uint64_t{patch.out_height} * patch.out_width;
  const std::uint64_t pixel = std::uint64_t{command.out_y} * patch.out_width + command.out_x + row;
  const std::uint64_t image = command.address + pixel / positions * image_stride;
  const auto place = static_cast<std::int64_t>(pixel % positions);
  const std::int64_t top = place / patch.out_width * patch.stride - patch.pad_top;
  const std::int64_t left = place % patch.out_width * patch.stride - patch.pad_left;
  const std::int64_t first = std::max<std::int64_t>(left, 0);
  const std::int64_t end = std::min<std::int64_t>(left + patch.kernel_width, patch.width);
  if (first >= end) return;
  const std::int64_t pixel_bytes = patch.pixel_bytes;
  for (std::int64_t line = 0; line < patch.kernel_height; ++line) {
    const std::int64_t y = top + line;
    if (y < 0 || y >= patch.height) continue;
    const std::int64_t at = (line * patch.kernel_width + first - left) * pixel_bytes;
    const std::int64_t bytes =
        std::min((end - first) * pixel_bytes, static_cast<std::int64_t>(row_bytes) - at);
    if (bytes <= 0) return;
    const PatchStretch stretch{
        .address = image + static_cast<std::uint64_t>((y * patch.width + first) * pixel_bytes),
        .at = static_cast<std::uint64_t>(at),
        .bytes = static_cast<std::uint64_t>(bytes)};
    if (!use(stretch)) return;
  }
}

}  // namespace systole
