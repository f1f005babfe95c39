#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <utility>

#include "host/device/device.h"

namespace systole {

/// The blocks of a device's memory: where each lies, and its `Content`.
///
/// Units    bytes; blocks begin at multiples of kAlignment, from `first_address` on, and occupy
///          their size rounded up to it
/// Limits   blocks lie in the `capacity_bytes` after `first_address`
/// Errors   MemoryFull when no place is large enough, DeviceError for a range outside every block
///          and for removing an address at which none starts
template <typename Content>
class BlockMap {
 public:
  static constexpr std::int64_t kAlignment = 64;

  struct Block {
    std::int64_t size_bytes;  ///< as asked for
    Content content;
  };

  BlockMap(std::int64_t capacity_bytes, std::uint64_t first_address)
      : capacity_bytes_(capacity_bytes), first_address_(first_address) {}

  static std::int64_t occupied_bytes(std::int64_t size_bytes) {
    return (size_bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

  /// Where a block would lie. First fit: freed addresses are reused, and the same blocks get the
  /// same addresses on every device.
  std::uint64_t place_for(std::int64_t size_bytes) const {
    const bool possible = size_bytes >= 1 && size_bytes <= capacity_bytes_;
    const auto occupied = static_cast<std::uint64_t>(possible ? occupied_bytes(size_bytes) : 0);
    std::uint64_t address = first_address_;
    for (const auto& [start, block] : blocks_) {
      if (start - address >= occupied) break;
      address = start + static_cast<std::uint64_t>(occupied_bytes(block.size_bytes));
    }
    const std::uint64_t end = first_address_ + static_cast<std::uint64_t>(capacity_bytes_);
    if (!possible || address > end || end - address < occupied) {
      throw MemoryFull(fmt::format("device memory cannot give {} bytes: {} of {} are in use",
                                   size_bytes, used_bytes_, capacity_bytes_));
    }
    return address;
  }

  void add(std::uint64_t address, std::int64_t size_bytes, Content content) {
    blocks_.emplace(address, Block{size_bytes, std::move(content)});
    used_bytes_ += occupied_bytes(size_bytes);
  }

  void remove(std::uint64_t address) {
    used_bytes_ -= occupied_bytes(at(address).size_bytes);
    blocks_.erase(address);
  }

  /// The block that starts at an address.
  Block& at(std::uint64_t address) {
    const auto block = blocks_.find(address);
    if (block == blocks_.end()) {
      throw DeviceError(fmt::format("no block of device memory starts at {:#x}", address));
    }
    return block->second;
  }

  /// The block that an address lies in or after, and its distance from the start; null if none.
  std::pair<const Block*, std::uint64_t> before(std::uint64_t address) const {
    auto block = blocks_.upper_bound(address);
    if (block == blocks_.begin()) return {nullptr, 0};
    --block;
    return {&block->second, address - block->first};
  }

  /// The block that holds `size_bytes` bytes from `address` on, and their distance from its start.
  std::pair<const Block*, std::uint64_t> check_inside(std::uint64_t address,
                                                      std::uint64_t size_bytes) const {
    const auto [block, offset] = before(address);
    if (block != nullptr) {
      const auto size = static_cast<std::uint64_t>(block->size_bytes);
      if (offset <= size && size_bytes <= size - offset) return {block, offset};
    }
    throw DeviceError(
        fmt::format("access to {} bytes at {:#x} is outside every block of device memory",
                    static_cast<std::int64_t>(size_bytes), address));
  }

  std::int64_t used_bytes() const { return used_bytes_; }
  std::size_t count() const { return blocks_.size(); }

 private:
  std::int64_t capacity_bytes_;
  std::uint64_t first_address_;
  std::int64_t used_bytes_ = 0;
  std::map<std::uint64_t, Block> blocks_;
};

}  // namespace systole
