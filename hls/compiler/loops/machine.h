#pragma once

#include <map>
#include <string>
#include <vector>

#include "hls/compiler/emit/instances.h"
#include "hls/compiler/ir/lowered_kernel.h"
#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/loops/block_schedule.h"

namespace systole::compiler {

/// A kernel as a clocked module.
struct Machine {
  LoweredModule module;
  std::map<int, ChildModule> cells;  ///< local memories and streams' slices, by index into state
  std::map<int, int> depths;         ///< their words
  std::map<int, int> units;          ///< of the kernel, by a pipeline's index into state
};

/// Turns a scheduled kernel into a clocked module: a state for each clock of a block, one state and
/// a row of valid bits for a loop whose iterations overlap, a register for each value that a later
/// clock uses. The kernel's body is left without a use.
///
/// `start_i` in the idle state starts it; `done_o` is high for one clock when every memory and
/// output has its result. Scalar inputs hold still in between. A clock in which a stream is not
/// ready changes nothing.
///
/// Timing   the first state is the clock after `start_i`
Machine build_machine(const LoweredKernel& kernel,
                      const std::map<const llvm::BasicBlock*, BlockSchedule>& schedules,
                      const std::map<const llvm::BasicBlock*, const BlockProblem*>& problems);

/// Whether a block only joins ways: it takes no clock.
bool takes_no_clock(const llvm::BasicBlock& block);

/// "line_12" of the block's first line, or the innermost label around it.
std::string name_of(const llvm::BasicBlock& block);

}  // namespace systole::compiler
