#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace systole {

/// What a stretch of a buffer holds: a block of a matrix in memory.
struct BlockKey {
  std::uint64_t address = 0;        ///< of its first element
  std::int64_t rows = 0, cols = 0;  ///< in memory
  std::int64_t row_stride = 0;      ///< bytes
  std::int64_t tile_stride = 0;     ///< words, as it lies in the buffer
  std::int64_t element_bytes = 0;
  friend bool operator==(const BlockKey&, const BlockKey&) = default;

  std::uint64_t end() const {
    return address + static_cast<std::uint64_t>((rows - 1) * row_stride + cols * element_bytes);
  }
};

/// A buffer of the device used as a ring: blocks are placed one behind the other, each over the
/// oldest ones. What has not been overwritten can be used again.
///
/// Units    words of the buffer
/// Limits   a block is not longer than the buffer
class WordRing {
 public:
  struct Block {
    BlockKey key;
    std::int64_t place = 0;  ///< counts on through the buffer's ends
    std::int64_t words = 0;
    std::int32_t loaded_by = -1;  ///< the load step that brought it
    std::int32_t last_use = -1;   ///< the last step of its reader that uses it
    std::int64_t older = -1;      ///< the block before it with the same hash, by its number
  };

  explicit WordRing(std::int64_t words) : words_(words) { newest_.fill(-1); }

  /// The block that holds this, where it still lies in the buffer.
  Block* find(const BlockKey& key);

  /// Places a block that is not there. `last_use` becomes that of what it overwrites, or what it
  /// was if that is later.
  Block& place(const BlockKey& key, std::int64_t words, std::int32_t& last_use);

  /// Forgets blocks of memory that is written, first <= address < end.
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
  /// Of each hash, the number of the newest block. From there `older` leads on; blocks leave oldest
  /// first, so what is left of such a chain is always its beginning.
  std::array<std::int64_t, kHashes> newest_;
};

}  // namespace systole
