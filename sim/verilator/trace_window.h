#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace systole::sim {

/// Clocks, both ends included.
struct ClockRange {
  std::uint64_t first = 0, last = 0;
};

/// The clocks whose signals are written: first .. last inclusive, counted from the first after
/// reset.
struct TraceWindow {
  std::string file;
  std::uint64_t first = 0;
  std::uint64_t last = ~std::uint64_t{0};
  std::vector<ClockRange> gaps = {};  ///< ascending: clocks between them that are not written
};

}  // namespace systole::sim
