#include "hls/compiler/loops/drop_dead_clears.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <map>
#include <vector>

#include "hls/compiler/ir/operations.h"
#include "hls/compiler/loops/address_trace.h"
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

/// Whether a loop has all other accesses, and reads nothing that it has not written.
bool is_unread(const llvm::CallInst& clear, const std::vector<llvm::CallInst*>& accesses,
               KernelAnalyses& analyses, const llvm::DominatorTree& dominators) {
  const llvm::Loop* nest = nullptr;
  for (const llvm::CallInst* other : accesses) {
    if (other == &clear) continue;
    if (!nest) {
      for (const llvm::Loop* loop = analyses.loops().getLoopFor(other->getParent());
           loop && !loop->contains(&clear); loop = loop->getParentLoop()) {
        nest = loop;
      }
    }
    if (!nest || !nest->contains(other)) return false;
  }
  return nest && dominators.dominates(clear.getParent(), nest->getHeader()) &&
         reads_what_it_wrote(*nest, leaf_of(clear));
}

}  // namespace

void drop_dead_clears(LoweredKernel& kernel) {
  llvm::Function& function = *kernel.body;
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
      const bool is_hidden = std::ranges::any_of(list, [&](const llvm::CallInst* filling) {
        return hides(*filling, *clear, list, cleared, analyses, dominators);
      });
      const bool is_local = kernel.memories[static_cast<std::size_t>(memory)].is_local;
      if (is_hidden || (is_local && is_unread(*clear, list, analyses, dominators))) {
        dead.push_back(clear);
      }
    }
  }
  for (llvm::CallInst* one : dead) one->eraseFromParent();
}

}  // namespace systole::compiler
