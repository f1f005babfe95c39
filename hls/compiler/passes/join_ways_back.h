#pragma once

#include <llvm/IR/PassManager.h>

namespace systole::compiler {

/// Gives a loop with several back edges, from `continue`, a single one. LLVM would otherwise make
/// two nested loops without constant bounds. A loop that waits keeps its states.
///
/// before  body: br %c, %header, %rest      rest: br %header
/// after   body: br %c, %again, %rest       rest: br %again      again: br %header
struct JoinWaysBack : llvm::PassInfoMixin<JoinWaysBack> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace systole::compiler
