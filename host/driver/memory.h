#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace systole {

/// A device's memory, by the device's addresses.
///
/// Units    bytes
/// Timing   each call returns when it is done
/// Errors   DeviceError when memory is full, for an access outside what was allocated, and for
///          freeing what is not the first address of an allocation
class Memory {
 public:
  virtual ~Memory() = default;

  virtual std::uint64_t allocate(std::int64_t size_bytes) = 0;
  virtual void free(std::uint64_t address) = 0;
  virtual void write(std::uint64_t address, std::span<const std::byte> source) = 0;
  virtual void read(std::uint64_t address, std::span<std::byte> destination) const = 0;
};

}  // namespace systole
