#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace systole {

/// A device's memory, accessed by device address.
///
/// Units    bytes
/// Timing   synchronous
/// Errors   MemoryFull; DeviceError for an access outside an allocation, and for freeing
///          an address at which none starts
class Memory {
 public:
  virtual ~Memory() = default;

  virtual std::uint64_t allocate(std::int64_t size_bytes) = 0;
  virtual void free(std::uint64_t address) = 0;
  virtual void write(std::uint64_t address, std::span<const std::byte> source) = 0;
  virtual void read(std::uint64_t address, std::span<std::byte> destination) const = 0;

  /// The same bytes for this process to use without a copy, valid until freed; null where they lie
  /// elsewhere, as on a board.
  virtual std::byte* in_place(std::uint64_t, std::int64_t) { return nullptr; }

  /// Gives the block at `address` the bytes of this process at `bytes`, whatever they hold, until
  /// take_back, which brings back what it had. False, and nothing done, where device memory is not
  /// this process's, and for a size that is larger than the block's or no multiple of 64.
  virtual bool lend(std::uint64_t, std::span<std::byte>) { return false; }
  virtual void take_back(std::uint64_t) {}
};

}  // namespace systole
