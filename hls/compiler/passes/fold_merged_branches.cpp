#include "hls/compiler/passes/fold_merged_branches.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

namespace systole::compiler {

llvm::PreservedAnalyses FoldMergedBranches::run(llvm::Function& function,
                                                llvm::FunctionAnalysisManager&) {
  using namespace llvm::PatternMatch;
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    llvm::Value *one = nullptr, *other = nullptr, *merged = nullptr, *last = nullptr;
    if (!match(&instruction, m_Select(m_LogicalOr(m_Value(one), m_Value(other)), m_Value(merged),
                                      m_Value(last)))) {
      continue;
    }
    const auto chooses = [&](llvm::Value* condition) {
      return match(merged, m_Select(m_Specific(condition), m_Value(), m_Specific(last)));
    };
    if (!chooses(one) && !chooses(other)) continue;
    instruction.replaceAllUsesWith(merged);
    instruction.eraseFromParent();
    changed = true;
  }
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace systole::compiler
