#include "hls/compiler/passes/arrival.h"

#include <llvm/IR/Instructions.h>

#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {

llvm::Value* Arrival::from(llvm::BasicBlock* block) {
  if (const auto known = known_.find(block); known != known_.end()) return known->second;
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
  if (!branch) refuse(*block->getTerminator(), "this control flow has no hardware; use if or ?:");
  llvm::Value* value = along(block, branch->getSuccessor(0));
  if (branch->isConditional()) {
    llvm::Value* other = along(block, branch->getSuccessor(1));
    if (value != other) {
      value = builder_.CreateSelect(branch->getCondition(), value, other);
      if (auto* select = llvm::dyn_cast<llvm::SelectInst>(value)) {
        select->setDebugLoc(branch->getDebugLoc());
      }
    }
  }
  return known_[block] = value;
}

llvm::Value* Arrival::along(llvm::BasicBlock* block, llvm::BasicBlock* next) {
  return next == phi_.getParent() ? phi_.getIncomingValueForBlock(block) : from(next);
}

}  // namespace systole::compiler
