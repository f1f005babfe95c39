#pragma once

#include <cstdint>

namespace systole {

/// A part of device memory.
struct MemoryRange {
  std::uint64_t address = 0;
  std::int64_t size_bytes = 0;

  std::uint64_t end() const { return address + static_cast<std::uint64_t>(size_bytes); }
  bool overlaps(const MemoryRange& other) const {
    return address < other.end() && other.address < end();
  }
};

}  // namespace systole
