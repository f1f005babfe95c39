#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hls/compiler/ir/lowered_kernel.h"
#include "hls/compiler/loops/block_schedule.h"
#include "hls/compiler/report/report.h"

namespace systole::compiler {

/// A kernel's blocks in time, and what is to be said of its loops.
struct KernelSchedule {
  std::vector<std::unique_ptr<BlockProblem>> problems;
  std::map<const llvm::BasicBlock*, BlockSchedule> blocks;  ///< those that take clocks
  std::map<const llvm::BasicBlock*, const BlockProblem*> problem_of;
  KernelReport report;
};

/// Schedules every block: innermost loops of one block with overlapping iterations, at the least
/// interval that memories and dependences allow, everything else as states.
///
/// Errors   Refusal for an interval that the source asks for and that is impossible
KernelSchedule schedule_kernel(const LoweredKernel& kernel, const DelayModel& model,
                               double clock_ns, bool overlaps);

}  // namespace systole::compiler
