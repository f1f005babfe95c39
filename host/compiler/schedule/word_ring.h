#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "host/device/device_map.h"

namespace systole {

/// The block of a matrix in memory that a stretch of a buffer holds.
struct BlockKey {
  std::uint64_t address = 0;        ///< of its first element
  std::int64_t rows = 0, cols = 0;  ///< in memory
  std::int64_t row_stride = 0;      ///< bytes
  std::int64_t tile_stride = 0;     ///< words, as it lies in the buffer
  std::int64_t element_bytes = 0;
  device::CommandWord patches = {};  ///< a load_patches command: rows are patches of images
  std::int64_t first_patch = 0;      ///< of the first image
  std::int64_t extent = 0;           ///< bytes that it lies in, where rows do not say it
  friend bool operator==(const BlockKey&, const BlockKey&) = default;

  std::uint64_t end() const {
    return address + static_cast<std::uint64_t>(
                         extent > 0 ? extent : (rows - 1) * row_stride + cols * element_bytes);
  }
};

/// A buffer of the device used as a ring: each new block overwrites the oldest ones. Blocks that
/// have not been overwritten can be reused.
///
/// Units    words of the buffer
/// Limits   a block is not longer than the buffer
class WordRing {
 public:
  struct Block {
    BlockKey key;
    std::int64_t place = 0;  ///< first word, not reduced modulo the buffer's size
    std::int64_t words = 0;
    std::int32_t loaded_by = -1;  ///< the step that loaded it
    std::int32_t last_use = -1;   ///< the last step of its reader that uses it
    std::int64_t older = -1;      ///< number of the previous block with the same hash
  };

  explicit WordRing(std::int64_t words) : words_(words) { newest_.fill(-1); }

  /// The block with this key, or null if the buffer no longer holds it.
  Block* find(const BlockKey& key);

  /// Places a block that the buffer does not hold. `last_use` is raised to that of the blocks it
  /// overwrites.
  Block& place(const BlockKey& key, std::int64_t words, std::int32_t& last_use);

  /// Forgets the blocks that overlap memory just written, [first, end).
  void forget(std::uint64_t first, std::uint64_t end);

  std::uint16_t row(const Block& block) const {
    return static_cast<std::uint16_t>(block.place % words_);
  }
  std::int64_t words() const { return words_; }

 private:
  static constexpr std::size_t kHashes = 256;
  static std::size_t hash(const BlockKey& key);

  std::int64_t words_;
  std::int64_t next_ = 0;
  std::deque<Block> blocks_;
  std::int64_t first_ = 0;  // the number of the oldest block
  /// The number of the newest block of each hash; `older` links to the previous ones. Blocks leave
  /// oldest first, so the rest of a chain stays valid.
  std::array<std::int64_t, kHashes> newest_;
};

}  // namespace systole
