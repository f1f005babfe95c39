#pragma once

#include <algorithm>

#include "hls/kernels/engine.h"
#include "hls/reference/load.h"
#include "tests/support/random.h"

namespace systole::tests {

/// Loads as commands for the kernel and as blocks for its oracle.
struct LoadCase {
  reference::LoadBlock block;
  unsigned wait = 0;
  unsigned signal = 0;
};

/// Puts `value` at bit `low` of a command.
inline void set_field(kernels::CommandWord& word, int low, std::uint64_t value) {
  word =
      word | (kernels::CommandWord::from(value) << hls::UInt<7>::from(static_cast<unsigned>(low)));
}

inline kernels::CommandWord load_shape_word(const reference::LoadBlock& block) {
  kernels::CommandWord word;
  set_field(word, 0, kernels::kOpcodeLoadShape);
  set_field(word, 16, static_cast<unsigned>(block.rows));
  set_field(word, 32, static_cast<unsigned>(block.cols));
  set_field(word, 48, static_cast<unsigned>(block.tile_stride));
  set_field(word, 64, block.row_stride);
  return word;
}

inline kernels::CommandWord load_word(const LoadCase& load) {
  const reference::LoadBlock& block = load.block;
  kernels::CommandWord word;
  set_field(word, 0, kernels::kOpcodeLoad);
  set_field(word, 8, load.wait);
  set_field(word, 11, load.signal);
  set_field(word, 16, block.address);
  set_field(word, 56, static_cast<unsigned>(block.row));
  set_field(word, 72, static_cast<unsigned>(block.buffer));
  set_field(word, 74, static_cast<unsigned>(block.element_bytes / 2));
  set_field(word, 76, block.has_patches);
  set_field(word, 80, static_cast<unsigned>(block.out_y));
  set_field(word, 96, static_cast<unsigned>(block.out_x));
  return word;
}

inline kernels::CommandWord load_patches_word(const reference::PatchShape& shape) {
  kernels::CommandWord word;
  set_field(word, 0, kernels::kOpcodeLoadPatches);
  int low = 16;
  for (const int field :
       {shape.height, shape.width, shape.pixel_bytes, shape.out_height, shape.out_width}) {
    set_field(word, low, static_cast<unsigned>(field));
    low += 16;
  }
  for (const int field :
       {shape.kernel_height, shape.kernel_width, shape.stride, shape.pad_top, shape.pad_left}) {
    set_field(word, low, static_cast<unsigned>(field));
    low += 4;
  }
  return word;
}

/// Arbitrary bytes that depend on the address only.
inline std::uint8_t memory_byte(std::uint64_t address) {
  return static_cast<std::uint8_t>(Random(address).bits());
}

inline constexpr std::uint64_t kLastAddress = (std::uint64_t{1} << 40) - 1;

/// A block's address: around a few places, so that rows meet the ends of bursts, of pages and of
/// the address space.
inline std::uint64_t random_address(Random& random) {
  constexpr std::uint64_t kPlaces[] = {0x1000, 0x12'3456'7000, 0xff'ffff'e000, 0x80'0000'0000};
  const std::uint64_t near = kPlaces[random.below(std::size(kPlaces))];
  return near + (random.below(2) ? random.below(4096) : 64 * random.below(64));
}

/// A block of a few rows, mostly short, anywhere.
inline reference::LoadBlock any_block(Random& random, int array_size) {
  reference::LoadBlock block;
  block.buffer = static_cast<reference::LoadBuffer>(random.below(4));
  block.element_bytes = block.buffer == reference::LoadBuffer::kAccumulators ? 4
                        : random.below(2)                                    ? 2
                                                                             : 1;
  block.rows = random.between(1, random.below(8) ? 6 : 40);
  const int sizes[] = {1,
                       array_size - 1,
                       array_size,
                       array_size + 1,
                       2 * array_size,
                       7,
                       random.between(1, 5 * array_size)};
  block.cols = sizes[random.below(std::size(sizes))];
  if (random.below(16) == 0) block.cols = random.between(1, 600);
  block.tile_stride = random.below(2) ? block.rows : random.bits16();
  block.row = random.bits16();
  block.address = random_address(random);
  const int row_bytes = block.cols * block.element_bytes;
  switch (random.below(5)) {
    case 0:
      block.row_stride = 0;
      break;
    case 1:
      block.row_stride = random.bits32();
      break;
    case 2:
      block.row_stride = random.below(400);
      break;
    default:
      block.row_stride = static_cast<unsigned>((row_bytes + 31) / 32 * 32);
  }
  return block;
}

/// Patches of small images, with any padding; sometimes with more or fewer bytes than they have.
inline reference::LoadBlock any_patches(Random& random, int array_size) {
  reference::LoadBlock block = any_block(random, array_size);
  reference::PatchShape& shape = block.patches;
  block.has_patches = true;
  shape.height = random.between(1, 9);
  shape.width = random.between(1, 9);
  shape.pixel_bytes = random.below(8) ? random.between(1, 2 * array_size + 1) : 600;
  shape.out_height = random.between(1, 6);
  shape.out_width = random.between(1, 6);
  shape.kernel_height = random.between(1, random.below(8) ? 4 : 15);
  shape.kernel_width = random.between(1, random.below(8) ? 4 : 15);
  shape.stride = random.between(1, random.below(8) ? 3 : 15);
  shape.pad_top = random.between(0, random.below(8) ? 3 : 15);
  shape.pad_left = random.between(0, random.below(8) ? 3 : 15);
  const int bytes = shape.kernel_height * shape.kernel_width * shape.pixel_bytes;
  block.cols = (bytes + block.element_bytes - 1) / block.element_bytes;
  if (random.below(4) == 0) block.cols = random.between(1, 2 * block.cols);
  block.cols = std::min(block.cols, 1000);
  block.row_stride = random.below(2)
                         ? static_cast<unsigned>(shape.height * shape.width * shape.pixel_bytes)
                         : random.bits32();
  block.out_y = static_cast<int>(random.below(static_cast<unsigned>(shape.out_height)));
  block.out_x = static_cast<int>(random.below(static_cast<unsigned>(shape.out_width)));
  return block;
}

/// The same without the last byte of the address space, which no window can contain, since a
/// window's end must be an address.
template <reference::LoadBlock (*make)(Random&, int)>
reference::LoadBlock inside_windows(Random& random, int array_size) {
  for (;;) {
    const reference::LoadBlock block = make(random, array_size);
    bool reaches_end = false;
    for (const auto& burst : reference::load_bursts(block, array_size)) {
      reaches_end = reaches_end || burst.last == kLastAddress;
    }
    if (!reaches_end) return block;
  }
}
inline reference::LoadBlock random_block(Random& random, int array_size) {
  return inside_windows<any_block>(random, array_size);
}
inline reference::LoadBlock random_patches(Random& random, int array_size) {
  return inside_windows<any_patches>(random, array_size);
}

}  // namespace systole::tests
