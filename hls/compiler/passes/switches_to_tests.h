#pragma once

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/PassManager.h>

namespace systole::compiler {

/// Whether the block says that nothing leads to it, as the default of a switch over all values
/// does.
bool is_never_reached(const llvm::BasicBlock& block);

/// Turns a switch into one test per target, in the source's order. LLVM's own lowering makes a tree
/// of comparisons with numbers that are not in the source.
///
/// before  switch i3 %phase, label %rest [0 -> %a  1 -> %b  2 -> %b]
/// after   br (%phase == 0), %a, ..   br (%phase == 1 || %phase == 2), %b, %rest
struct SwitchesToTests : llvm::PassInfoMixin<SwitchesToTests> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace systole::compiler
