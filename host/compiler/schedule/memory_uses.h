#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "host/compiler/schedule/step.h"

namespace systole {

/// Bytes of device memory: [first, end). With a stride, only rows at that distance, each of
/// (end - first) mod stride bytes.
struct MemorySpan {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  std::uint64_t stride = 0;
};

/// Who last read and wrote each byte of memory, so that a step's dependences follow from what it
/// reads and writes. A span with a stride counts as all its bytes, except in a matrix of that
/// stride that was named before: there it is some columns of all rows.
///
/// Timing   O(log n) and the number of parts of the spans that were used differently
class MemoryUses {
 public:
  /// Follows the columns of a matrix by themselves: rows of `stride` bytes in [first, end).
  ///
  /// Limits   nothing has used its memory yet
  void follow_columns(std::uint64_t first, std::uint64_t end, std::uint64_t stride);

  /// What a step of `engine` must wait for: the last writers of what it reads or writes, and the
  /// last readers of what it writes. Nothing of its own engine, except that a vector step waits for
  /// the vector steps whose results it reads or overwrites.
  Step::After before(Engine engine, std::span<const MemorySpan> reads,
                     std::span<const MemorySpan> writes) const;

  /// Notes that step number `step` of `engine` reads and writes this.
  void note(Engine engine, std::int32_t step, std::span<const MemorySpan> reads,
            std::span<const MemorySpan> writes);

 private:
  struct Use {
    Step::After read = Step::kNoStep;
    Step::After written = Step::kNoStep;
  };
  using Parts = std::map<std::uint64_t, Use>;  ///< each from its key to the next one's
  struct Matrix {
    std::uint64_t first = 0, end = 0, stride = 0;
    Parts columns = {{0, {}}};  ///< by their first byte in a row
  };

  /// Calls `work` with each map of parts that knows a span's uses, and the part of it there.
  template <typename Self, typename Work>
  static void in_parts(Self& self, const MemorySpan& span, const Work& work);

  Parts parts_{{0, {}}};  ///< of all memory
  std::vector<Matrix> matrices_;
};

}  // namespace systole
