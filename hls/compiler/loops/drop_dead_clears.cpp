#include "hls/compiler/loops/drop_dead_clears.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <map>
#include <vector>

#include "hls/compiler/ir/operations.h"
#include "hls/compiler/loops/kernel_analyses.h"

namespace systole::compiler {
namespace {

/// The words, from the first, that the loop around a write writes in every run; 0 if unknown.
unsigned words_written(const llvm::CallInst& write, KernelAnalyses& analyses) {
  if (!is_operation(write, Operation::kMemoryWrite)) return 0;
  const llvm::Loop* loop = analyses.loops().getLoopFor(write.getParent());
  if (!loop || loop->getNumBlocks() != 1) return 0;
  const auto* enable = llvm::dyn_cast<llvm::ConstantInt>(write.getArgOperand(3));
  if (!enable || !enable->isOne()) return 0;
  llvm::ScalarEvolution& evolution = analyses.evolution();
  const auto* line =
      llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(write.getArgOperand(1)));
  if (!line || line->getLoop() != loop || !line->getStart()->isZero() ||
      !line->getStepRecurrence(evolution)->isOne()) {
    return 0;
  }
  return evolution.getSmallConstantTripCount(loop);
}

bool is_clear(const llvm::CallInst& access) {
  const auto* value = is_operation(access, Operation::kMemoryWrite)
                          ? llvm::dyn_cast<llvm::ConstantInt>(access.getArgOperand(2))
                          : nullptr;
  return value && value->isZero();
}

/// Whether `filling` writes all that `clear` does, before any other access can read it.
bool hides(const llvm::CallInst& filling, const llvm::CallInst& clear,
           const std::vector<llvm::CallInst*>& accesses, unsigned cleared, KernelAnalyses& analyses,
           const llvm::DominatorTree& dominators) {
  if (&filling == &clear || words_written(filling, analyses) < cleared) return false;
  const llvm::BasicBlock* block = filling.getParent();
  if (!dominators.dominates(clear.getParent(), block)) return false;
  // A loop around both would lead from the last reads back to the clearing, which is no harm; one
  // around the filling alone needs nothing of it either.
  for (const llvm::CallInst* other : accesses) {
    if (other == &clear || other == &filling) continue;
    if (other->getParent() == block || !dominators.dominates(block, other->getParent())) {
      return false;
    }
  }
  return true;
}

}  // namespace

void drop_dead_clears(llvm::Function& function) {
  KernelAnalyses analyses(function);
  const llvm::DominatorTree dominators(function);
  std::map<int, std::vector<llvm::CallInst*>> accesses;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (is_operation(instruction, {Operation::kMemoryRead, Operation::kMemoryWrite})) {
      accesses[leaf_of(instruction)].push_back(llvm::cast<llvm::CallInst>(&instruction));
    }
  }
  std::vector<llvm::CallInst*> dead;
  for (const auto& [memory, list] : accesses) {
    for (llvm::CallInst* clear : list) {
      const unsigned cleared = is_clear(*clear) ? words_written(*clear, analyses) : 0;
      if (cleared == 0) continue;
      for (const llvm::CallInst* filling : list) {
        if (!hides(*filling, *clear, list, cleared, analyses, dominators)) continue;
        dead.push_back(clear);
        break;
      }
    }
  }
  for (llvm::CallInst* one : dead) one->eraseFromParent();
}

}  // namespace systole::compiler
