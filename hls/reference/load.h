#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace systole::reference {

enum class LoadBuffer { kRows, kWeights, kAccumulators, kMasks };

/// The convolution whose patches are a block's rows; images are [image, y, x, channel].
struct PatchShape {
  int height = 1;
  int width = 1;
  int pixel_bytes = 1;
  int out_height = 1;
  int out_width = 1;
  int kernel_height = 1;
  int kernel_width = 1;
  int stride = 1;
  int pad_top = 0;
  int pad_left = 0;
};

/// A load command and the shapes it goes by.
struct LoadBlock {
  std::uint64_t address = 0;
  int rows = 1;
  int cols = 1;
  int tile_stride = 0;
  std::uint64_t row_stride = 0;
  int row = 0;
  LoadBuffer buffer = LoadBuffer::kRows;
  int element_bytes = 1;
  bool has_patches = false;
  PatchShape patches;
  int out_y = 0;
  int out_x = 0;
};

/// A word on its way to a buffer: N lanes of 16 bits (sums: 32; masks: 0 or 1). Rows wrap as in the
/// largest buffer.
struct LoadWord {
  LoadBuffer buffer = LoadBuffer::kRows;
  int row = 0;
  std::vector<std::uint32_t> lanes;
  bool operator==(const LoadWord&) const = default;
};

/// A burst: the addresses of its first and last wanted byte, and those of the row it belongs to
/// (with patches: of the part of an image's row).
struct LoadBurst {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t row_address = 0;
  bool operator==(const LoadBurst&) const = default;
};

using ByteAt = std::function<std::uint8_t(std::uint64_t address)>;

/// The oracle of hls/kernels/load_engine: the words of a block, in order.
///
/// Source   docs/accelerator.md, "load"
std::vector<LoadWord> load_words(const LoadBlock& block, int array_size, const ByteAt& byte_at);

/// The bursts of a block, in order.
std::vector<LoadBurst> load_bursts(const LoadBlock& block, int bus_bytes);

}  // namespace systole::reference
