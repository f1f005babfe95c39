#pragma once

#include <llvm/IR/PassManager.h>

namespace systole::compiler {

/// Turns pointers that walk through an array into indices: `for (auto& x : array)`, constructors of
/// arrays and the algorithms of the standard library have them.
///
/// before  %p = phi ptr [%a, ...], [%n, ...]        after  %i = phi i64 [0, ...], [%j, ...]
///         %n = getelementptr i8, ptr %p, 1                 %p = getelementptr i8, ptr %a, %i
///                                                          %j = add %i, 1
///                                                          %n = getelementptr i8, ptr %a, %j
struct IndexPointers : llvm::PassInfoMixin<IndexPointers> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace systole::compiler
