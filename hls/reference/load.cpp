#include "hls/reference/load.h"

#include <optional>

namespace systole::reference {
namespace {

constexpr std::uint64_t kAddressMask = (std::uint64_t{1} << 40) - 1;
constexpr int kBurstBeats = 16;
/// Of the largest buffer; the others take the low bits.
constexpr int kBufferRows = 8192;

/// Where each byte of a row comes from; nothing for a zero.
using Places = std::vector<std::optional<std::uint64_t>>;

int row_bytes(const LoadBlock& block) { return block.cols * block.element_bytes; }

Places side_by_side(std::uint64_t address, int count) {
  Places places;
  for (int i = 0; i < count; ++i) {
    places.emplace_back((address + static_cast<std::uint64_t>(i)) & kAddressMask);
  }
  return places;
}

/// Row i of the patch of output pixel m of the block.
Places patch_row(const LoadBlock& block, int m, int i) {
  const PatchShape& shape = block.patches;
  const std::int64_t pixel = std::int64_t{block.out_y} * shape.out_width + block.out_x + m;
  const std::int64_t image = pixel / shape.out_width / shape.out_height;
  const std::int64_t out_y = pixel / shape.out_width % shape.out_height;
  const std::int64_t out_x = pixel % shape.out_width;
  const std::int64_t y = out_y * shape.stride - shape.pad_top + i;
  Places places;
  for (int j = 0; j < shape.kernel_width; ++j) {
    const std::int64_t x = out_x * shape.stride - shape.pad_left + j;
    const bool inside = 0 <= y && y < shape.height && 0 <= x && x < shape.width;
    for (int byte = 0; byte < shape.pixel_bytes; ++byte) {
      const std::int64_t offset = (y * shape.width + x) * shape.pixel_bytes + byte;
      const std::uint64_t address = block.address +
                                    static_cast<std::uint64_t>(image) * block.row_stride +
                                    static_cast<std::uint64_t>(offset);
      places.push_back(inside ? std::optional(address & kAddressMask) : std::nullopt);
    }
  }
  return places;
}

/// The parts of row m, each with its bytes side by side in memory.
std::vector<Places> parts_of_row(const LoadBlock& block, int m) {
  if (!block.has_patches) {
    const auto offset = static_cast<std::uint64_t>(m) * block.row_stride;
    return {side_by_side(block.address + offset, row_bytes(block))};
  }
  std::vector<Places> parts;
  auto left = static_cast<std::size_t>(row_bytes(block));
  for (int i = 0; i < block.patches.kernel_height; ++i) {
    Places part = patch_row(block, m, i);
    if (part.size() > left) part.resize(left);
    left -= part.size();
    parts.push_back(std::move(part));
  }
  return parts;
}

bool is_positive(std::uint32_t element, int element_bytes) {
  if (element_bytes == 1) return element != 0 && element < 0x80;
  return element != 0 && element <= 0x7f80;
}

std::uint32_t lane_of(const LoadBlock& block, std::uint32_t element) {
  if (block.buffer == LoadBuffer::kMasks) return is_positive(element, block.element_bytes);
  if (block.element_bytes == 1 && element >= 0x80) return element | 0xff00;
  return element;
}

}  // namespace

std::vector<LoadWord> load_words(const LoadBlock& block, int array_size, const ByteAt& byte_at) {
  std::vector<LoadWord> words;
  for (int m = 0; m < block.rows; ++m) {
    std::vector<std::uint8_t> bytes;
    for (const Places& part : parts_of_row(block, m)) {
      for (const auto& place : part) bytes.push_back(place ? byte_at(*place) : std::uint8_t{0});
    }
    bytes.resize(static_cast<std::size_t>(row_bytes(block)));
    for (int t = 0; t * array_size < block.cols; ++t) {
      LoadWord word;
      word.buffer = block.buffer;
      word.row = (block.row + t * block.tile_stride + m) % kBufferRows;
      for (int n = 0; n < array_size; ++n) {
        std::uint32_t element = 0;
        for (int i = 0; i < block.element_bytes; ++i) {
          const auto at = static_cast<std::size_t>((t * array_size + n) * block.element_bytes + i);
          if (at < bytes.size()) element |= std::uint32_t{bytes[at]} << (8 * i);
        }
        word.lanes.push_back(lane_of(block, element));
      }
      words.push_back(std::move(word));
    }
  }
  return words;
}

std::vector<LoadBurst> load_bursts(const LoadBlock& block, int bus_bytes) {
  const auto burst_bytes = static_cast<std::uint64_t>(std::min(kBurstBeats * bus_bytes, 4096));
  std::vector<LoadBurst> bursts;
  for (int m = 0; m < block.rows; ++m) {
    for (const Places& part : parts_of_row(block, m)) {
      std::optional<std::uint64_t> row_address;
      for (const auto& place : part) {
        if (!place) continue;
        const bool starts = !row_address || *place % burst_bytes == 0;
        if (!row_address) row_address = place;
        if (starts) bursts.push_back({*place, *place, *row_address});
        bursts.back().last = *place;
      }
    }
  }
  return bursts;
}

}  // namespace systole::reference
