#pragma once

#include <cstdint>

namespace systole {

/// A part of device memory.
struct MemoryRange {
  std::uint64_t address = 0;
  std::int64_t size_bytes = 0;
};

}  // namespace systole
