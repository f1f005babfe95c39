#include "hls/compiler/passes/flatten.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <vector>

#include "hls/compiler/ir/arrival.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
void flatten(llvm::Function& function) {
  llvm::EliminateUnreachableBlocks(function);
  if (function.size() == 1) return;
  llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  if (!loops.empty()) {
    refuse(*(*loops.begin())->getHeader()->getTerminator(),
           "this loop has no constant bound, so it cannot be unrolled; give it one, and leave it "
           "earlier with break");
  }
  const llvm::ReversePostOrderTraversal<llvm::Function*> order(&function);
  const std::vector<llvm::BasicBlock*> blocks(order.begin(), order.end());
  llvm::Instruction* end = blocks.back()->getTerminator();
  if (!llvm::isa<llvm::ReturnInst>(end)) refuse(*end, "a function ends in one return");

  // All values first, each before its uses; then the joins.
  llvm::BasicBlock* flat = llvm::BasicBlock::Create(function.getContext(), "flat", &function);
  llvm::IRBuilder<> builder(flat);
  for (llvm::BasicBlock* block : blocks) {
    while (auto* phi =
               llvm::dyn_cast_or_null<llvm::PHINode>(block->empty() ? nullptr : &block->front())) {
      llvm::BasicBlock* above = dominators.getNode(block)->getIDom()->getBlock();
      llvm::Value* value = Arrival(*phi, *above, builder).value();
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
      instruction.moveBeforePreserving(*flat, flat->end());
    }
  }
  end->moveBeforePreserving(*flat, flat->end());
  flat->moveBefore(&function.getEntryBlock());
  for (llvm::BasicBlock* block : blocks) {
    // Debug records before a branch, which would outlive their block.
    if (!block->empty()) block->back().dropDbgRecords();
    block->deleteTrailingDbgRecords();
    block->dropAllReferences();
  }
  for (llvm::BasicBlock* block : blocks) block->eraseFromParent();
}

}  // namespace systole::compiler
