#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "hls/compiler/loops/block_schedule.h"
#include "hls/compiler/loops/kernel_analyses.h"

namespace systole::compiler {

/// The clocks of a kernel from `start_i` to `done_o`.
struct ClockCount {
  std::int64_t least = 0;
  std::optional<std::int64_t> most;  ///< nothing if a loop's length is not constant
};

/// Counts the clocks on the shortest and the longest way through the blocks.
ClockCount count_clocks(const llvm::Function& body,
                        const std::map<const llvm::BasicBlock*, BlockSchedule>& blocks,
                        KernelAnalyses& analyses);

}  // namespace systole::compiler
