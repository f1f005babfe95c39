#include "hls/compiler/ir/arrival.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>

#include <vector>

#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {

Arrival::Arrival(llvm::PHINode& phi, llvm::BasicBlock& above, llvm::IRBuilderBase& builder)
    : phi_(phi), above_(above), builder_(builder) {
  llvm::BasicBlock* join = phi.getParent();
  std::vector<llvm::BasicBlock*> left(llvm::pred_begin(join), llvm::pred_end(join));
  while (!left.empty()) {
    llvm::BasicBlock* block = left.back();
    left.pop_back();
    if (!between_.insert(block).second || block == &above) continue;
    left.insert(left.end(), llvm::pred_begin(block), llvm::pred_end(block));
  }
}

llvm::Value* Arrival::from(llvm::BasicBlock* block) {
  if (const auto known = known_.find(block); known != known_.end()) return known->second;
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
  if (!branch) refuse(*block->getTerminator(), "this control flow has no hardware; use if or ?:");
  llvm::Value* value = along(block, branch->getSuccessor(0));
  if (branch->isConditional()) {
    llvm::Value* other = along(block, branch->getSuccessor(1));
    if (!value) {
      value = other;
    } else if (other && value != other) {
      value = builder_.CreateSelect(branch->getCondition(), value, other);
      if (auto* select = llvm::dyn_cast<llvm::SelectInst>(value)) {
        select->setDebugLoc(branch->getDebugLoc());
      }
    }
  }
  return known_[block] = value;
}

llvm::Value* Arrival::along(llvm::BasicBlock* block, llvm::BasicBlock* next) {
  if (next == phi_.getParent()) return phi_.getIncomingValueForBlock(block);
  return between_.count(next) != 0 ? from(next) : nullptr;
}

}  // namespace systole::compiler
