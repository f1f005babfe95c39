#include "hls/compiler/passes/skip_cleanups.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <vector>

#include "hls/compiler/passes/make_sequential.h"

namespace systole::compiler {
namespace {

/// A block that does nothing but end lives, and its way out for each way in.
struct Cleanup {
  llvm::PHINode* way = nullptr;
  llvm::SwitchInst* choice = nullptr;
};

Cleanup cleanup_in(llvm::BasicBlock& block) {
  auto* choice = llvm::dyn_cast<llvm::SwitchInst>(block.getTerminator());
  auto* way = choice ? llvm::dyn_cast<llvm::PHINode>(choice->getCondition()) : nullptr;
  if (!way || way->getParent() != &block) return {};
  const bool ends_lives = std::ranges::all_of(block, [&](const llvm::Instruction& one) {
    return &one == way || &one == choice || one.isLifetimeStartOrEnd();
  });
  return ends_lives ? Cleanup{way, choice} : Cleanup{};
}

bool waits(const llvm::Loop& loop) {
  return std::ranges::any_of(loop.blocks(), [](const llvm::BasicBlock* block) {
    return std::ranges::any_of(*block, is_suspension);
  });
}

/// Leads the way from `from` past the cleanup, if it is known where to.
void skip(const Cleanup& cleanup, llvm::BasicBlock& from) {
  const auto* number =
      llvm::dyn_cast<llvm::ConstantInt>(cleanup.way->getIncomingValueForBlock(&from));
  llvm::BasicBlock& block = *cleanup.way->getParent();
  if (!number) return;
  llvm::BasicBlock* to = cleanup.choice->findCaseValue(number)->getCaseSuccessor();
  if (llvm::is_contained(llvm::successors(&from), to) ||
      llvm::count(llvm::successors(&from), &block) != 1)
    return;
  for (llvm::PHINode& phi : to->phis()) {
    llvm::Value* value = phi.getIncomingValueForBlock(&block);
    phi.addIncoming(value == cleanup.way ? cleanup.way->getIncomingValueForBlock(&from) : value,
                    &from);
  }
  block.removePredecessor(&from, /*KeepOneInputPHIs=*/true);
  from.getTerminator()->replaceSuccessorWith(&block, to);
}

}  // namespace

void skip_cleanups(llvm::Function& function) {
  llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  std::vector<Cleanup> cleanups;
  for (llvm::BasicBlock& block : function) {
    const llvm::Loop* loop = loops.getLoopFor(&block);
    const Cleanup cleanup = loop && !waits(*loop) ? cleanup_in(block) : Cleanup{};
    if (cleanup.way) cleanups.push_back(cleanup);
  }
  for (const Cleanup& cleanup : cleanups) {
    llvm::BasicBlock& block = *cleanup.way->getParent();
    const std::vector<llvm::BasicBlock*> ways_in(llvm::pred_begin(&block), llvm::pred_end(&block));
    for (llvm::BasicBlock* from : ways_in) skip(cleanup, *from);
  }
}

}  // namespace systole::compiler
