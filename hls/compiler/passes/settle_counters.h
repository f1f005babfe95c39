#pragma once

#include <llvm/IR/PassManager.h>

namespace systole::compiler {

/// Replaces a counter read after its loop by its final value: LLVM moves what only the last
/// iteration needs out of the loop. Removes loops that are empty then.
///
/// before  loop: %i = phi i32 [ 0, .. ], [ %next, .. ] ... to 3    after  end: hls.load(1, 2)
///         end:  hls.load(1, %i)
struct SettleCounters : llvm::PassInfoMixin<SettleCounters> {
  static llvm::PreservedAnalyses run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses);
};

}  // namespace systole::compiler
