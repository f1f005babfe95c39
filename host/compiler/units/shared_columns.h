#pragma once

#include <cstdint>

namespace systole::lowering {

/// A matrix whose columns several cores update, each its own blocks: block i belongs to core
/// i % cores.
struct SharedColumns {
  std::int64_t block = 0;  ///< columns; 0: each core has all of the matrix
  std::int64_t row = 0;    ///< elements

  bool operator==(const SharedColumns&) const = default;

  /// Calls `work` with the first element and the number of elements of each part of a row that is
  /// core `core`'s of `cores`.
  template <typename Work>
  void each_part(std::int64_t elements, std::int64_t core, std::int64_t cores,
                 const Work& work) const {
    for (std::int64_t first = 0; first < elements; first += row) {
      for (std::int64_t at = core * block; at < row; at += cores * block) {
        work(first + at, block < row - at ? block : row - at);
      }
    }
  }
};

}  // namespace systole::lowering
