#include "hls/compiler/passes/select_joins.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <vector>

#include "hls/compiler/ir/arrival.h"
#include "hls/compiler/support/rounds.h"

namespace systole::compiler {
namespace {

/// Whether the value is one of several addresses with known places. An address with a variable
/// index stays in its arm, since the index may be in range only there.
bool is_known_address(const llvm::PHINode& phi) {
  return phi.getType()->isPointerTy() &&
         std::all_of(phi.op_begin(), phi.op_end(), [](const llvm::Value* value) {
           return !llvm::isa<llvm::GetElementPtrInst>(value->stripInBoundsConstantOffsets());
         });
}

/// The blocks between a branch and the join after it.
class Region {
 public:
  Region(llvm::BasicBlock& join, const llvm::DominatorTree& dominators, const llvm::LoopInfo& loops,
         bool only_pointers)
      : join_(join), dominators_(dominators), only_pointers_(only_pointers) {
    above_ = dominators.getNode(&join)->getIDom()->getBlock();
    convertible_ = collect(loops);
  }

  /// Replaces the joins whose conditions and values can be computed above the branch.
  bool select() {
    if (!convertible_) return false;
    hoist();
    bool changed = false;
    for (llvm::PHINode& phi : llvm::make_early_inc_range(join_.phis())) {
      if (only_pointers_ && !is_known_address(phi)) continue;
      if (!known_above(phi)) continue;
      llvm::IRBuilder<> builder(&*join_.getFirstInsertionPt());
      llvm::Value* value = Arrival(phi, *above_, builder).value();
      if (auto* chosen = llvm::dyn_cast<llvm::SelectInst>(value)) {
        if (!chosen->hasName()) chosen->takeName(&phi);
      }
      phi.replaceAllUsesWith(value);
      phi.eraseFromParent();
      changed = true;
    }
    return changed;
  }

 private:
  /// Whether the region has branches only; lists its blocks from the branch down.
  bool collect(const llvm::LoopInfo& loops) {
    std::vector<llvm::BasicBlock*> left(llvm::pred_begin(&join_), llvm::pred_end(&join_));
    const llvm::Loop* around = loops.getLoopFor(&join_);
    if (around && around->getHeader() == &join_) return false;
    while (!left.empty()) {
      llvm::BasicBlock* block = left.back();
      left.pop_back();
      if (block == above_ || std::find(blocks_.begin(), blocks_.end(), block) != blocks_.end()) {
        continue;
      }
      if (loops.getLoopFor(block) != around) return false;
      blocks_.push_back(block);
      left.insert(left.end(), llvm::pred_begin(block), llvm::pred_end(block));
    }
    if (loops.getLoopFor(above_) != around) return false;
    std::vector<llvm::BasicBlock*> ordered;
    const llvm::ReversePostOrderTraversal<llvm::Function*> order(join_.getParent());
    for (llvm::BasicBlock* block : order) {
      if (std::find(blocks_.begin(), blocks_.end(), block) != blocks_.end()) {
        ordered.push_back(block);
      }
    }
    blocks_ = ordered;
    const auto branches = [](llvm::BasicBlock* block) {
      return llvm::isa<llvm::BranchInst>(block->getTerminator());
    };
    return branches(above_) && std::all_of(blocks_.begin(), blocks_.end(), branches);
  }

  bool is_above(const llvm::Value* value) const {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    return !instruction || dominators_.dominates(instruction->getParent(), above_);
  }

  /// Moves instructions without effects above the branch.
  void hoist() {
    bool writes = false;
    for (const llvm::BasicBlock* block : blocks_) {
      for (const llvm::Instruction& one : *block) writes = writes || one.mayWriteToMemory();
    }
    for (llvm::BasicBlock* block : blocks_) {
      for (llvm::Instruction& one : llvm::make_early_inc_range(*block)) {
        if (one.isTerminator() || llvm::isa<llvm::PHINode>(one) || one.mayWriteToMemory() ||
            (one.mayReadFromMemory() && writes)) {
          continue;
        }
        if (!std::all_of(one.op_begin(), one.op_end(),
                         [&](const llvm::Use& operand) { return is_above(operand.get()); })) {
          continue;
        }
        one.dropUBImplyingAttrsAndMetadata();
        one.moveBeforePreserving(above_->getTerminator());
      }
    }
  }

  bool known_above(const llvm::PHINode& phi) const {
    for (const llvm::Value* value : phi.incoming_values()) {
      if (!is_above(value)) return false;
    }
    return std::all_of(blocks_.begin(), blocks_.end(), [&](const llvm::BasicBlock* block) {
      const auto* branch = llvm::cast<llvm::BranchInst>(block->getTerminator());
      return !branch->isConditional() || is_above(branch->getCondition());
    });
  }

  llvm::BasicBlock& join_;
  const llvm::DominatorTree& dominators_;
  bool only_pointers_;
  llvm::BasicBlock* above_ = nullptr;
  std::vector<llvm::BasicBlock*> blocks_;
  bool convertible_ = false;
};

bool has_known_address(llvm::BasicBlock& block) {
  const auto phis = block.phis();
  return std::any_of(phis.begin(), phis.end(), is_known_address);
}

void select_joins(llvm::Function& function, bool only_pointers) {
  Rounds rounds("select_joins", function);
  for (bool changed = true; changed; rounds.next()) {
    changed = false;
    const llvm::DominatorTree dominators(function);
    const llvm::LoopInfo loops(dominators);
    // From the inside out; no edge changes, so the analyses stay valid.
    for (llvm::BasicBlock* block : llvm::post_order(&function)) {
      if (block->phis().empty() || !dominators.getNode(block)->getIDom()) continue;
      if (only_pointers && !has_known_address(*block)) continue;
      changed = Region(*block, dominators, loops, only_pointers).select() || changed;
    }
  }
}

}  // namespace

void select_joins(llvm::Function& function) { select_joins(function, false); }

llvm::PreservedAnalyses SelectPointers::run(llvm::Function& function,
                                            llvm::FunctionAnalysisManager&) {
  select_joins(function, true);
  return llvm::PreservedAnalyses::none();
}

}  // namespace systole::compiler
