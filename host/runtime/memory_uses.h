#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "host/runtime/step.h"

namespace systole {

/// Bytes of device memory: [first, end).
struct MemorySpan {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
};

/// Who last read and wrote each byte of memory, so that a step's dependences follow from what it
/// reads and writes.
///
/// Timing   O(log n) and the number of parts of the spans that were used differently
class MemoryUses {
 public:
  /// What a step of `engine` must wait for: the last writers of what it reads or writes, and the
  /// last readers of what it writes. Nothing of its own engine, but for what a vector step wrote: a
  /// vector step that reads or overwrites it must wait.
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
  void split(std::uint64_t address);

  std::map<std::uint64_t, Use> parts_{{0, {}}};  ///< each from its key to the next one's
};

}  // namespace systole
