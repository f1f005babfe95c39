#include "hls/compiler/passes/flatten.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <map>
#include <vector>

#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

/// The value with which control that stands at the end of `from` arrives in the phi.
class Arrival {
 public:
  Arrival(llvm::PHINode& phi, llvm::IRBuilder<>& builder) : phi_(phi), builder_(builder) {}

  llvm::Value* from(llvm::BasicBlock* block) {
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

 private:
  llvm::Value* along(llvm::BasicBlock* block, llvm::BasicBlock* next) {
    return next == phi_.getParent() ? phi_.getIncomingValueForBlock(block) : from(next);
  }
  llvm::PHINode& phi_;
  llvm::IRBuilder<>& builder_;
  std::map<llvm::BasicBlock*, llvm::Value*> known_;
};

}  // namespace

void flatten(llvm::Function& function) {
  if (function.size() == 1) return;
  llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  if (!loops.empty()) {
    refuse(*(*loops.begin())->getHeader()->getTerminator(),
           "this loop has no constant bound, so it cannot be unrolled; give it one");
  }
  const llvm::ReversePostOrderTraversal<llvm::Function*> order(&function);
  const std::vector<llvm::BasicBlock*> blocks(order.begin(), order.end());
  llvm::Instruction* end = blocks.back()->getTerminator();
  if (!llvm::isa<llvm::ReturnInst>(end)) refuse(*end, "a function ends in one return");

  // All values first, in an order in which each is computed before it is used; then the joins.
  llvm::BasicBlock* flat = llvm::BasicBlock::Create(function.getContext(), "flat", &function);
  llvm::IRBuilder<> builder(flat);
  for (llvm::BasicBlock* block : blocks) {
    while (auto* phi = llvm::dyn_cast_or_null<llvm::PHINode>(
               block->empty() ? nullptr : &block->front())) {
      llvm::BasicBlock* above = dominators.getNode(block)->getIDom()->getBlock();
      llvm::Value* value = Arrival(*phi, builder).from(above);
      if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
          instruction && !instruction->hasName()) {
        instruction->takeName(phi);
      }
      phi->replaceAllUsesWith(value);
      phi->eraseFromParent();
    }
    for (auto at = block->begin(); &*at != block->getTerminator();) {
      llvm::Instruction& instruction = *at++;
      if (instruction.mayWriteToMemory() && block != blocks.front() && block != blocks.back()) {
        refuse(instruction, "this effect is under a condition; choose the value instead");
      }
      instruction.moveBefore(*flat, flat->end());
    }
  }
  end->moveBefore(*flat, flat->end());
  flat->moveBefore(&function.getEntryBlock());
  for (llvm::BasicBlock* block : blocks) block->dropAllReferences();
  for (llvm::BasicBlock* block : blocks) block->eraseFromParent();
}

}  // namespace systole::compiler
