#pragma once

#include <llvm/IR/PassManager.h>

namespace systole::compiler {

/// Drops the inliner's and clang's hints about memory and likelihood, which mean nothing for
/// values.
///
/// before  %y = call i64 @llvm.expect.i64(i64 %x, i64 1)    after  (%x itself)
struct DropHints : llvm::PassInfoMixin<DropHints> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace systole::compiler
