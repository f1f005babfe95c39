#pragma once

#include <llvm/IR/PassManager.h>

namespace systole::compiler {

/// A switch becomes one test for each of its ways, in the order of the source. LLVM's own lowering
/// makes a tree of comparisons with numbers that the source does not have.
///
/// before  switch i3 %phase, label %rest [0 -> %a  1 -> %b  2 -> %b]
/// after   br (%phase == 0), %a, ..   br (%phase == 1 || %phase == 2), %b, %rest
struct SwitchesToTests : llvm::PassInfoMixin<SwitchesToTests> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace systole::compiler
