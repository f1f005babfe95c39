#pragma once

#include <llvm/IR/PassManager.h>

namespace systole::compiler {

/// Cleans up after LLVM merges two branches to the same block: a value that depends on only one of
/// their conditions must not read the other.
///
/// before  %e = select i1 %a, i1 true, i1 %b     after  %v = select i1 %a, i8 %x, i8 %y
///         %m = select i1 %a, i8 %x, i8 %y
///         %v = select i1 %e, i8 %m, i8 %y
struct FoldMergedBranches : llvm::PassInfoMixin<FoldMergedBranches> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace systole::compiler
