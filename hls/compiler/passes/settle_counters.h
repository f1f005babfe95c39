#pragma once

#include <llvm/IR/PassManager.h>

namespace systole::compiler {

/// Replaces a counter read after its loop by its final value: LLVM moves work of the last iteration
/// alone out of the loop. Removes loops that are empty afterwards.
///
/// before  loop: %i = phi i32 [ 0, .. ], [ %next, .. ] ... to 3    after  end: hls.load(1, 2)
///         end:  hls.load(1, %i)
struct SettleCounters : llvm::PassInfoMixin<SettleCounters> {
  static llvm::PreservedAnalyses run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses);
};

}  // namespace systole::compiler
