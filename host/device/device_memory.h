#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>

#include "host/device/block_map.h"
#include "host/device/memory.h"

namespace systole {

/// The memory of a simulated device: blocks at 64-byte aligned addresses, zeroed when allocated.
///
/// Units    bytes; blocks begin at `first_address`, a multiple of 64, and never at 0
/// Limits   blocks lie in the `capacity_bytes` after `first_address`; an access stays inside one
/// Errors   as BlockMap's; MemoryFull when this machine's memory is
class DeviceMemory final : public Memory {
 public:
  static constexpr std::int64_t kAlignment = BlockMap<int>::kAlignment;
  static constexpr std::int64_t kDefaultCapacityBytes = std::int64_t{32} << 30;

  static constexpr std::uint64_t kFirstAddress = 0x1000;

  explicit DeviceMemory(std::int64_t capacity_bytes = kDefaultCapacityBytes,
                        std::uint64_t first_address = kFirstAddress);

  std::uint64_t allocate(std::int64_t size_bytes) override;
  void free(std::uint64_t address) override;
  void write(std::uint64_t address, std::span<const std::byte> source) override;
  void read(std::uint64_t address, std::span<std::byte> destination) const override;
  std::byte* in_place(std::uint64_t address, std::int64_t size_bytes) override {
    return locate(address, size_bytes);
  }

  /// `count` elements of T in place, for a backend to compute on. Valid until freed.
  template <typename T>
  std::span<T> elements(std::uint64_t address, std::int64_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto size_bytes = count * static_cast<std::int64_t>(sizeof(T));
    return {reinterpret_cast<T*>(locate(address, size_bytes)), static_cast<std::size_t>(count)};
  }

  /// `size_bytes` bytes in place, or null if they are not all in one block (including its padding
  /// up to the next multiple of kAlignment). Valid until freed.
  std::byte* find(std::uint64_t address, std::uint64_t size_bytes) const;

  std::int64_t used_bytes() const { return blocks_.used_bytes(); }
  std::size_t block_count() const { return blocks_.count(); }

 private:
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  using Bytes = std::unique_ptr<std::byte[], Free>;
  std::byte* locate(std::uint64_t address, std::int64_t size_bytes) const;

  BlockMap<Bytes> blocks_;
};

}  // namespace systole
