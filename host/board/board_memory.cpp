#include "host/board/board_memory.h"

#include <cstring>
#include <utility>
#include <vector>

namespace systole {
namespace {

constexpr std::uint64_t kFirstAddress = 0x1000;  // none is 0, which stands for no matrix
constexpr std::uint64_t kWordBytes = 4;

/// The words that [address, address + size) touches.
struct Words {
  std::uint32_t address;
  std::size_t skip;  // bytes of the first one before the range
  std::vector<std::uint32_t> words;

  Words(std::uint64_t first, std::size_t size)
      : address(static_cast<std::uint32_t>(first / kWordBytes * kWordBytes)),
        skip(first % kWordBytes),
        words((skip + size + kWordBytes - 1) / kWordBytes) {}
  std::byte* bytes() { return reinterpret_cast<std::byte*>(words.data()) + skip; }
};

}  // namespace

BoardMemory::BoardMemory(std::shared_ptr<SerialLink> link)
    : link_(std::move(link)),
      blocks_(link_->identity().memory_bytes - static_cast<std::int64_t>(kFirstAddress),
              kFirstAddress) {}

std::uint64_t BoardMemory::allocate(std::int64_t size_bytes) {
  const std::uint64_t address = blocks_.place_for(size_bytes);
  blocks_.add(address, size_bytes, {});
  return address;
}

void BoardMemory::free(std::uint64_t address) { blocks_.remove(address); }

void BoardMemory::write(std::uint64_t address, std::span<const std::byte> source) {
  blocks_.check_inside(address, source.size());
  if (source.empty()) return;
  Words words(address, source.size());
  const std::size_t end = words.skip + source.size();
  if (words.skip != 0) link_->read_memory(words.address, std::span(words.words).first(1));
  if (end % kWordBytes != 0) {
    const auto last = static_cast<std::uint32_t>(end / kWordBytes);
    link_->read_memory(words.address + static_cast<std::uint32_t>(kWordBytes) * last,
                       std::span(words.words).last(1));
  }
  std::memcpy(words.bytes(), source.data(), source.size());
  link_->write_memory(words.address, words.words);
}

void BoardMemory::read(std::uint64_t address, std::span<std::byte> destination) const {
  blocks_.check_inside(address, destination.size());
  if (destination.empty()) return;
  Words words(address, destination.size());
  link_->read_memory(words.address, words.words);
  std::memcpy(destination.data(), words.bytes(), destination.size());
}

}  // namespace systole
