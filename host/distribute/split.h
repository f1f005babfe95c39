#pragma once

#include <algorithm>
#include <cstdint>

namespace systole {

/// A core's rows of a batch.
struct RowRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// Splits a batch's rows over cores 0..cores-1 as evenly as possible; the first cores get one row
/// more, and in a small batch a core may get none. Part sizes differ by at most one, so a core
/// meets few shapes and builds few programs.
inline RowRange rows_of_core(std::int64_t rows, int core, int cores) {
  const std::int64_t each = rows / cores, more = rows % cores;
  const std::int64_t first = core * each + std::min<std::int64_t>(core, more);
  return {.first = first, .count = each + (core < more ? 1 : 0)};
}

}  // namespace systole
