#pragma once

#include <cstdint>
#include <string>

namespace systole::sim {

/// The clocks whose signals are written: first .. last inclusive, counted from the first after
/// reset.
struct TraceWindow {
  std::string file;
  std::uint64_t first = 0;
  std::uint64_t last = ~std::uint64_t{0};
};

}  // namespace systole::sim
