#pragma once

#include <llvm/IR/PassManager.h>

#include <optional>
#include <vector>

#include "sim/verilator/lanes/independent_lanes.h"

namespace systole::lanes {

/// Notes in the module where members of these names lie, before optimisation drops the names.
///
/// `--uniform-registers=NAME,...` names registers that mostly hold the same bit in all lanes, such
/// as the number type of an array's operands: a member NAME_q or ..._NAME_q of the model. Names
/// only choose what is tried; they prove nothing.
struct NoteUniformRegisters : llvm::PassInfoMixin<NoteUniformRegisters> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

/// The loop's loads of a noted register, a byte for each lane, that every iteration makes in its
/// own lane and none writes; empty if there are none. Of several registers, the one named first.
std::vector<llvm::LoadInst*> uniform_loads(const LaneLoop& lanes);

/// Adds two versions of the loop, for a byte that is 0 and for one that is 1 in all lanes, and
/// chooses one at run time from the bytes of all lanes.
///
///   before   loop
///   after    if (no byte is set) loop with 0; else if (all are 1) loop with 1; else loop
///
/// Limits   the loop is in LCSSA form, and every iteration certainly reads its byte; other loops
///          are left unchanged
/// Returns  the latches of the new loops
std::vector<llvm::BasicBlock*> version_loop(const LaneLoop& lanes,
                                            const std::vector<llvm::LoadInst*>& loads);

}  // namespace systole::lanes
