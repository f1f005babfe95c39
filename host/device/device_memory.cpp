#include "host/device/device_memory.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "host/device/device.h"

namespace systole {

void DeviceMemory::Free::operator()(std::byte* bytes) const {
  if (lent_bytes == 0) std::free(bytes);
}

DeviceMemory::DeviceMemory(std::int64_t capacity_bytes, std::uint64_t first_address)
    : blocks_(capacity_bytes, first_address) {}

std::uint64_t DeviceMemory::allocate(std::int64_t size_bytes) {
  const std::uint64_t address = blocks_.place_for(size_bytes);
  const auto occupied = static_cast<std::size_t>(BlockMap<Bytes>::occupied_bytes(size_bytes));
  void* raw = nullptr;
  if (posix_memalign(&raw, kAlignment, occupied) != 0) {
    throw MemoryFull(
        fmt::format("this machine has no memory left for {} bytes of device memory", size_bytes));
  }
  std::memset(raw, 0, occupied);
  blocks_.add(address, size_bytes, Bytes(static_cast<std::byte*>(raw)));
  return address;
}

void DeviceMemory::free(std::uint64_t address) { blocks_.remove(address); }

void DeviceMemory::write(std::uint64_t address, std::span<const std::byte> source) {
  std::byte* bytes = locate(address, static_cast<std::int64_t>(source.size()));
  if (!source.empty()) std::memcpy(bytes, source.data(), source.size());
}

void DeviceMemory::read(std::uint64_t address, std::span<std::byte> destination) const {
  const std::byte* bytes = locate(address, static_cast<std::int64_t>(destination.size()));
  if (!destination.empty()) std::memcpy(destination.data(), bytes, destination.size());
}

// Accesses go up to a multiple of kAlignment, which must not leave the caller's bytes.
bool DeviceMemory::lend(std::uint64_t address, std::span<std::byte> bytes) {
  BlockMap<Bytes>::Block& block = blocks_.at(address);
  const auto size = static_cast<std::int64_t>(bytes.size());
  if (size == 0 || size % kAlignment != 0 || size > block.size_bytes) return false;
  if (replaced_.contains(address)) {
    throw DeviceError(fmt::format("the block at {:#x} already has bytes that are lent", address));
  }
  replaced_.emplace(address, std::exchange(block.content, Bytes(bytes.data(), Free{size})));
  return true;
}

void DeviceMemory::take_back(std::uint64_t address) {
  const auto replaced = replaced_.find(address);
  if (replaced == replaced_.end()) return;
  blocks_.at(address).content = std::move(replaced->second);
  replaced_.erase(replaced);
}

std::byte* DeviceMemory::find(std::uint64_t address, std::uint64_t size_bytes) const {
  const auto [block, offset] = blocks_.before(address);
  if (block == nullptr) return nullptr;
  const std::int64_t lent = block->content.get_deleter().lent_bytes;
  const auto occupied = static_cast<std::uint64_t>(
      lent != 0 ? lent : BlockMap<Bytes>::occupied_bytes(block->size_bytes));
  if (offset >= occupied || size_bytes > occupied - offset) return nullptr;
  return block->content.get() + offset;
}

std::byte* DeviceMemory::locate(std::uint64_t address, std::int64_t size_bytes) const {
  const auto [block, offset] =
      blocks_.check_inside(address, static_cast<std::uint64_t>(size_bytes));
  const std::int64_t lent = block->content.get_deleter().lent_bytes;
  if (lent != 0 && static_cast<std::int64_t>(offset) + size_bytes > lent) {
    throw DeviceError(fmt::format("access to {} bytes at {:#x} is outside the {} that are lent",
                                  size_bytes, address, lent));
  }
  return block->content.get() + offset;
}

}  // namespace systole
