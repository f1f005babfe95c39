#include "hls/compiler/passes/drop_hints.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <vector>

namespace systole::compiler {

llvm::PreservedAnalyses DropHints::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  std::vector<llvm::Instruction*> hints;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!intrinsic) continue;
    const auto id = intrinsic->getIntrinsicID();
    const bool expects =
        id == llvm::Intrinsic::expect || id == llvm::Intrinsic::expect_with_probability;
    if (expects) instruction.replaceAllUsesWith(instruction.getOperand(0));
    if (expects || id == llvm::Intrinsic::experimental_noalias_scope_decl ||
        id == llvm::Intrinsic::assume || intrinsic->isLifetimeStartOrEnd()) {
      hints.push_back(&instruction);
    }
  }
  for (llvm::Instruction* hint : hints) hint->eraseFromParent();
  return hints.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

}  // namespace systole::compiler
