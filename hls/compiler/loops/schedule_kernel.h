#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hls/compiler/ir/lowered_kernel.h"
#include "hls/compiler/loops/block_schedule.h"
#include "hls/compiler/loops/kernel_analyses.h"
#include "hls/compiler/report/report.h"

namespace systole::compiler {

/// A kernel's blocks in time, and what is to be said of its loops.
struct KernelSchedule {
  std::vector<std::unique_ptr<BlockProblem>> problems;
  std::map<const llvm::BasicBlock*, BlockSchedule> blocks;  ///< those that take clocks
  std::map<const llvm::BasicBlock*, const BlockProblem*> problem_of;
  KernelReport report;
};

/// The orders that a block's accesses of memories and streams keep.
std::vector<Dependence> orders_of(const llvm::BasicBlock& block, const llvm::Loop* loop,
                                  const LoweredKernel& kernel, KernelAnalyses& analyses);

/// A loop of one block: with overlapping iterations at the least interval that its dependences,
/// ports and units allow, or that the source asks for; one after the other where that is no slower.
/// `binding` says what keeps the interval above 1.
///
/// Errors   Refusal for an interval that the source asks for and that is impossible
BlockSchedule schedule_loop(BlockProblem& problem, const llvm::Loop& loop, Binding& binding);

/// Schedules every block: innermost loops of one block with overlapping iterations, at the least
/// interval that memories and dependences allow, everything else as states.
///
/// Errors   Refusal for an interval that the source asks for and that is impossible
KernelSchedule schedule_kernel(const LoweredKernel& kernel, const DelayModel& model,
                               double clock_ns, bool overlaps);

}  // namespace systole::compiler
