#include "hls/compiler/passes/settle_counters.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LoopDeletion.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <utility>

namespace systole::compiler {
namespace {

bool counter_is_read_behind(const llvm::LoopInfo& loops) {
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    for (const llvm::PHINode& counter : loop->getHeader()->phis()) {
      for (const llvm::User* user : counter.users()) {
        if (!loop->contains(llvm::cast<llvm::Instruction>(user))) return true;
      }
    }
  }
  return false;
}

}  // namespace

llvm::PreservedAnalyses SettleCounters::run(llvm::Function& function,
                                            llvm::FunctionAnalysisManager& analyses) {
  if (!counter_is_read_behind(analyses.getResult<llvm::LoopAnalysis>(function))) {
    return llvm::PreservedAnalyses::all();
  }
  llvm::LoopPassManager loops;
  loops.addPass(llvm::IndVarSimplifyPass());
  loops.addPass(llvm::LoopDeletionPass());
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops)));
  passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions().needCanonicalLoops(true)));
  passes.addPass(llvm::EarlyCSEPass(true));
  return passes.run(function, analyses);
}

}  // namespace systole::compiler
