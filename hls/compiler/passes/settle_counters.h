#pragma once

#include <llvm/IR/PassManager.h>

namespace systole::compiler {

/// LLVM moves what only a loop's last turn needs behind the loop, where it reads the counter. That
/// is a constant there; a loop that nothing is left in goes.
///
/// before  loop: %i = phi i32 [ 0, .. ], [ %next, .. ] ... to 3    after  end: hls.load(1, 2)
///         end:  hls.load(1, %i)
struct SettleCounters : llvm::PassInfoMixin<SettleCounters> {
  static llvm::PreservedAnalyses run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses);
};

}  // namespace systole::compiler
