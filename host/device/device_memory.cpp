#include "host/device/device_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstdlib>

#include "host/device/device.h"

namespace systole {
namespace {

/// Of x86, by which the processor finds a large block without a look-up for each 4 KiB.
constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

DeviceMemory::DeviceMemory(std::int64_t capacity_bytes, std::uint64_t first_address)
    : blocks_(capacity_bytes, first_address) {}

std::uint64_t DeviceMemory::allocate(std::int64_t size_bytes) {
  const std::uint64_t address = blocks_.place_for(size_bytes);
  const auto occupied = static_cast<std::size_t>(BlockMap<Bytes>::occupied_bytes(size_bytes));
  void* raw = nullptr;
  const std::size_t huge = occupied / kHugePage * kHugePage;
  if (posix_memalign(&raw, huge > 0 ? kHugePage : kAlignment, occupied) != 0) {
    throw MemoryFull(
        fmt::format("this machine has no memory left for {} bytes of device memory", size_bytes));
  }
  if (huge > 0) madvise(raw, huge, MADV_HUGEPAGE);  // a hint
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

std::byte* DeviceMemory::find(std::uint64_t address, std::uint64_t size_bytes) const {
  const auto [block, offset] = blocks_.before(address);
  if (block == nullptr) return nullptr;
  const auto occupied =
      static_cast<std::uint64_t>(BlockMap<Bytes>::occupied_bytes(block->size_bytes));
  if (offset >= occupied || size_bytes > occupied - offset) return nullptr;
  return block->content.get() + offset;
}

std::byte* DeviceMemory::locate(std::uint64_t address, std::int64_t size_bytes) const {
  const auto [block, offset] =
      blocks_.check_inside(address, static_cast<std::uint64_t>(size_bytes));
  return block->content.get() + offset;
}

}  // namespace systole
