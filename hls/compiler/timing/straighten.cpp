#include "hls/compiler/timing/straighten.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <vector>

#include "hls/compiler/ir/arrival.h"

namespace systole::compiler {
namespace {

/// Every latch goes on to the loop's exit.
void leave_loops(llvm::Function& function) {
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    llvm::BasicBlock* header = loop->getHeader();
    llvm::BasicBlock* latch = loop->getLoopLatch();
    auto* end = llvm::dyn_cast<llvm::BranchInst>(latch->getTerminator());
    llvm::BasicBlock* exit = end->getSuccessor(end->getSuccessor(0) == header ? 1 : 0);
    header->removePredecessor(latch);
    llvm::BranchInst::Create(exit, latch)->setDebugLoc(end->getDebugLoc());
    end->eraseFromParent();
  }
}

/// Conditions of blocks, in the flat block: null for those that always run.
class Conditions {
 public:
  Conditions(llvm::Function& function, llvm::IRBuilder<>& builder)
      : dominators_(function), after_(function), builder_(builder) {}

  const llvm::DominatorTree& dominators() const { return dominators_; }

  void find(llvm::BasicBlock* block) {
    const auto* node = dominators_.getNode(block);
    if (!node->getIDom()) return;
    llvm::BasicBlock* above = node->getIDom()->getBlock();
    if (after_.dominates(block, above)) {
      of_[block] = of_[above];
      return;
    }
    llvm::Value* any = nullptr;
    for (llvm::BasicBlock* before : llvm::predecessors(block)) {
      llvm::Value* edge = along(before, block);
      any = any ? builder_.CreateOr(any, edge) : edge;
    }
    of_[block] = any;
  }

  llvm::Value* of(const llvm::BasicBlock* block) const {
    const auto found = of_.find(block);
    return found == of_.end() ? nullptr : found->second;
  }

 private:
  llvm::Value* along(llvm::BasicBlock* before, llvm::BasicBlock* block) {
    auto* branch = llvm::cast<llvm::BranchInst>(before->getTerminator());
    llvm::Value* condition = of_[before];
    if (!branch->isConditional()) return condition ? condition : builder_.getTrue();
    builder_.SetCurrentDebugLocation(branch->getDebugLoc());
    llvm::Value* taken = branch->getCondition();
    if (branch->getSuccessor(0) != block) taken = builder_.CreateNot(taken);
    return condition ? builder_.CreateAnd(condition, taken) : taken;
  }

  llvm::DominatorTree dominators_;
  llvm::PostDominatorTree after_;
  llvm::IRBuilder<>& builder_;
  std::map<const llvm::BasicBlock*, llvm::Value*> of_;
};

}  // namespace

std::map<const llvm::Instruction*, const llvm::Value*> straighten(llvm::Function& function) {
  leave_loops(function);
  llvm::EliminateUnreachableBlocks(function);
  std::map<const llvm::Instruction*, const llvm::Value*> conditions;
  if (function.size() == 1) return conditions;

  const llvm::ReversePostOrderTraversal<llvm::Function*> order(&function);
  const std::vector<llvm::BasicBlock*> blocks(order.begin(), order.end());
  llvm::BasicBlock* flat = llvm::BasicBlock::Create(function.getContext(), "flat");
  llvm::IRBuilder<> builder(flat);
  Conditions of(function, builder);
  for (llvm::BasicBlock* block : blocks) {
    of.find(block);
    while (auto* phi = llvm::dyn_cast<llvm::PHINode>(&block->front())) {
      builder.SetCurrentDebugLocation(phi->getDebugLoc());
      llvm::BasicBlock* above = of.dominators().getNode(block)->getIDom()->getBlock();
      phi->replaceAllUsesWith(Arrival(*phi, *above, builder).value());
      phi->eraseFromParent();
    }
    for (auto at = block->begin(); &*at != block->getTerminator();) {
      llvm::Instruction& instruction = *at++;
      if (llvm::Value* condition = of.of(block); condition && instruction.mayWriteToMemory()) {
        conditions[&instruction] = condition;
      }
      instruction.moveBefore(*flat, flat->end());
    }
  }
  flat->insertInto(&function, &function.getEntryBlock());
  llvm::ReturnInst::Create(function.getContext(), flat);
  for (llvm::BasicBlock* block : blocks) block->dropAllReferences();
  for (llvm::BasicBlock* block : blocks) block->eraseFromParent();
  return conditions;
}

}  // namespace systole::compiler
