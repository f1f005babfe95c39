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
};

}  // namespace systole
