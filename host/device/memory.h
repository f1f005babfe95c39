#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

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

/// A block of device memory, freed with its handle; empty at first.
class MemoryBlock {
 public:
  MemoryBlock() = default;
  MemoryBlock(Memory& memory, std::int64_t size_bytes)
      : memory_(&memory), address_(memory.allocate(size_bytes)) {}
  MemoryBlock(MemoryBlock&& other) noexcept { *this = std::move(other); }
  MemoryBlock& operator=(MemoryBlock&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(address_, other.address_);
    return *this;
  }
  ~MemoryBlock() {
    if (memory_ != nullptr) memory_->free(address_);
  }

  std::uint64_t address() const { return address_; }

 private:
  Memory* memory_ = nullptr;
  std::uint64_t address_ = 0;
};

}  // namespace systole
