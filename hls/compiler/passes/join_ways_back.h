#pragma once

#include <llvm/IR/PassManager.h>

namespace systole::compiler {

/// Gives a loop that `continue` closes in several places one way back. LLVM would make two nested
/// loops of it, neither of which has a constant bound. A loop that waits keeps its states.
///
/// before  body: br %c, %header, %rest      rest: br %header
/// after   body: br %c, %again, %rest       rest: br %again      again: br %header
struct JoinWaysBack : llvm::PassInfoMixin<JoinWaysBack> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace systole::compiler
