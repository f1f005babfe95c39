#include "hls/compiler/passes/join_ways_back.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>

#include "hls/compiler/passes/make_sequential.h"

namespace systole::compiler {
namespace {

bool waits(const llvm::Loop& loop) {
  return std::ranges::any_of(loop.blocks(), [](const llvm::BasicBlock* block) {
    return std::ranges::any_of(*block, is_suspension);
  });
}

}  // namespace

llvm::PreservedAnalyses JoinWaysBack::run(llvm::Function& function,
                                          llvm::FunctionAnalysisManager&) {
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  bool any = false;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    llvm::SmallVector<llvm::BasicBlock*> latches;
    loop->getLoopLatches(latches);
    if (latches.size() < 2 || waits(*loop)) continue;
    llvm::SplitBlockPredecessors(loop->getHeader(), latches, ".again", &dominators, &loops);
    any = true;
  }
  return any ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace systole::compiler
