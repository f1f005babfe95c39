#include "host/driver/device_memory.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "host/driver/device.h"

namespace systole {
namespace {

std::int64_t round_up(std::int64_t size_bytes) {
  return (size_bytes + DeviceMemory::kAlignment - 1) / DeviceMemory::kAlignment *
         DeviceMemory::kAlignment;
}

}  // namespace

void DeviceMemory::Free::operator()(std::byte* bytes) const { std::free(bytes); }

DeviceMemory::DeviceMemory(std::int64_t capacity_bytes, std::uint64_t first_address)
    : capacity_bytes_(capacity_bytes), first_address_(first_address) {}

std::uint64_t DeviceMemory::allocate(std::int64_t size_bytes) {
  if (size_bytes < 1 || size_bytes > capacity_bytes_ ||
      round_up(size_bytes) > capacity_bytes_ - used_bytes_) {
    throw DeviceError(fmt::format("device memory cannot give {} bytes: {} of {} are in use",
                                  size_bytes, used_bytes_, capacity_bytes_));
  }
  // First fit: freed addresses are reused, and the same allocations get the same addresses on every
  // device.
  const auto occupied = static_cast<std::uint64_t>(round_up(size_bytes));
  std::uint64_t address = first_address_;
  for (const auto& [start, block] : blocks_) {
    if (start - address >= occupied) break;
    address = start + static_cast<std::uint64_t>(round_up(block.size_bytes));
  }
  void* raw = nullptr;
  if (posix_memalign(&raw, kAlignment, occupied) != 0) {
    throw DeviceError(
        fmt::format("this machine has no memory left for {} bytes of device memory", size_bytes));
  }
  std::memset(raw, 0, occupied);
  blocks_.emplace(
      address, Block{size_bytes, std::unique_ptr<std::byte[], Free>(static_cast<std::byte*>(raw))});
  used_bytes_ += round_up(size_bytes);
  return address;
}

void DeviceMemory::free(std::uint64_t address) {
  const auto block = blocks_.find(address);
  if (block == blocks_.end()) {
    throw DeviceError(fmt::format("no block of device memory starts at {:#x}", address));
  }
  used_bytes_ -= round_up(block->second.size_bytes);
  blocks_.erase(block);
}

void DeviceMemory::write(std::uint64_t address, std::span<const std::byte> source) {
  std::byte* bytes = locate(address, static_cast<std::int64_t>(source.size()));
  if (!source.empty()) std::memcpy(bytes, source.data(), source.size());
}

void DeviceMemory::read(std::uint64_t address, std::span<std::byte> destination) const {
  const std::byte* bytes = locate(address, static_cast<std::int64_t>(destination.size()));
  if (!destination.empty()) std::memcpy(destination.data(), bytes, destination.size());
}

std::byte* DeviceMemory::find(std::uint64_t address, std::uint64_t size_bytes) const {
  auto block = blocks_.upper_bound(address);
  if (block == blocks_.begin()) return nullptr;
  --block;
  const std::uint64_t offset = address - block->first;
  const auto occupied = static_cast<std::uint64_t>(round_up(block->second.size_bytes));
  if (offset >= occupied || size_bytes > occupied - offset) return nullptr;
  return block->second.bytes.get() + offset;
}

std::byte* DeviceMemory::locate(std::uint64_t address, std::int64_t size_bytes) const {
  auto block = blocks_.upper_bound(address);
  if (block != blocks_.begin()) {
    --block;
    const std::uint64_t offset = address - block->first;
    const auto block_size = static_cast<std::uint64_t>(block->second.size_bytes);
    if (size_bytes >= 0 && offset <= block_size &&
        static_cast<std::uint64_t>(size_bytes) <= block_size - offset) {
      return block->second.bytes.get() + offset;
    }
  }
  throw DeviceError(fmt::format(
      "access to {} bytes at {:#x} is outside every block of device memory", size_bytes, address));
}

}  // namespace systole
