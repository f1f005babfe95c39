#include "hls/compiler/loops/predicate_branches.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "hls/compiler/ir/operations.h"
#include "hls/compiler/loops/kernel_analyses.h"
#include "hls/compiler/support/rounds.h"

namespace systole::compiler {
namespace {

using llvm::BasicBlock;

/// A branch whose arms, one of which may be empty, meet again at once.
struct Hammock {
  BasicBlock* above = nullptr;
  BasicBlock* when_true = nullptr;  ///< null if the branch goes to the join
  BasicBlock* when_false = nullptr;
  BasicBlock* join = nullptr;
};

/// The block that follows the arm if only `above` leads to it and nothing else leaves it.
BasicBlock* after_arm(BasicBlock& arm, const BasicBlock& above) {
  if (arm.getSinglePredecessor() != &above || !arm.phis().empty()) return nullptr;
  return arm.getSingleSuccessor();
}

bool find(BasicBlock& block, Hammock& found) {
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  if (!branch || !branch->isConditional()) return false;
  BasicBlock* first = branch->getSuccessor(0);
  BasicBlock* second = branch->getSuccessor(1);
  if (first == second || first == &block || second == &block) return false;
  BasicBlock* after_first = after_arm(*first, block);
  BasicBlock* after_second = after_arm(*second, block);
  if (after_first && after_first == after_second && after_first != &block) {
    found = {&block, first, second, after_first};
  } else if (after_first == second && second != &block) {
    found = {&block, first, nullptr, second};
  } else if (after_second == first && first != &block) {
    found = {&block, nullptr, second, first};
  } else {
    return false;
  }
  return true;
}

bool reads_memory(const BasicBlock* arm) {
  return arm && std::any_of(arm->begin(), arm->end(), [](const llvm::Instruction& instruction) {
           return is_operation(instruction, Operation::kMemoryRead);
         });
}

/// Whether everything in the arm may run whether or not the branch goes there.
bool can_run_always(const BasicBlock* arm) {
  return !arm || std::all_of(arm->begin(), arm->end(), [](const llvm::Instruction& instruction) {
    return instruction.isTerminator() || !instruction.mayWriteToMemory() ||
           enable_operand(instruction) >= 0;
  });
}

void lift(BasicBlock* arm, BasicBlock& above, llvm::Value* condition, bool when) {
  if (!arm) return;
  llvm::Instruction* end = above.getTerminator();
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(*arm)) {
    if (instruction.isTerminator()) break;
    instruction.dropPoisonGeneratingFlags();  // it runs in more cases now
    instruction.moveBeforePreserving(end);
    const int enable = enable_operand(instruction);
    if (enable < 0) continue;
    llvm::IRBuilder<> builder(&instruction);
    llvm::Value* taken = when ? condition : builder.CreateNot(condition);
    instruction.setOperand(
        static_cast<unsigned>(enable),
        builder.CreateLogicalAnd(taken, instruction.getOperand(static_cast<unsigned>(enable))));
  }
}

void convert(const Hammock& one) {
  auto* branch = llvm::cast<llvm::BranchInst>(one.above->getTerminator());
  llvm::Value* condition = branch->getCondition();
  lift(one.when_true, *one.above, condition, true);
  lift(one.when_false, *one.above, condition, false);
  BasicBlock* from_true = one.when_true ? one.when_true : one.above;
  BasicBlock* from_false = one.when_false ? one.when_false : one.above;
  llvm::IRBuilder<> builder(branch);
  for (llvm::PHINode& phi : one.join->phis()) {
    llvm::Value* if_true = phi.getIncomingValueForBlock(from_true);
    llvm::Value* if_false = phi.getIncomingValueForBlock(from_false);
    llvm::Value* value =
        if_true == if_false ? if_true : builder.CreateSelect(condition, if_true, if_false);
    if (auto* select = llvm::dyn_cast<llvm::SelectInst>(value); select && !select->hasName()) {
      select->setName(phi.getName());
      select->setDebugLoc(phi.getDebugLoc());
    }
    phi.removeIncomingValue(from_true, false);
    phi.removeIncomingValue(from_false, false);
    phi.addIncoming(value, one.above);
  }
  llvm::BranchInst::Create(one.join, branch->getIterator())->setDebugLoc(branch->getDebugLoc());
  branch->eraseFromParent();
  for (BasicBlock* arm : {one.when_true, one.when_false}) {
    if (!arm) continue;
    arm->dropAllReferences();
    arm->eraseFromParent();
  }
  llvm::MergeBlockIntoPredecessor(one.join);
}

bool convert_one(llvm::Function& function) {
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  for (BasicBlock& block : function) {
    Hammock found;
    if (!find(block, found)) continue;
    if (!can_run_always(found.when_true) || !can_run_always(found.when_false)) continue;
    const llvm::Loop* loop = loops.getLoopFor(&block);
    const bool inside = loop && loop->isInnermost() && loop->contains(found.join);
    // Another way back would be lost, and with it the loop's description.
    if (loop && loop->getHeader() == found.join) continue;
    if (!inside && (reads_memory(found.when_true) || reads_memory(found.when_false))) continue;
    convert(found);
    return true;
  }
  return false;
}

/// Moves the blocks of a loop into its header, with the conditions under which each is reached.
class LoopPredication {
 public:
  explicit LoopPredication(const llvm::Loop& loop) : loop_(loop) {
    const llvm::ReversePostOrderTraversal<llvm::Function*> order(loop.getHeader()->getParent());
    for (BasicBlock* block : order) {
      if (loop.contains(block)) blocks_.push_back(block);
    }
  }

  void run() {
    if (!is_possible()) return;
    BasicBlock& header = *loop_.getHeader();
    BasicBlock& latch = *loop_.getLoopLatch();
    llvm::Instruction* end = header.getTerminator();
    llvm::IRBuilder<> builder(end);
    reached_[&header] = builder.getTrue();
    leave(header, builder);
    for (BasicBlock* block : blocks_) {
      if (block == &header) continue;
      builder.SetInsertPoint(end);
      reach(*block, builder);
      for (llvm::Instruction& instruction : llvm::make_early_inc_range(*block)) {
        if (instruction.isTerminator()) break;
        instruction.dropPoisonGeneratingFlags();
        instruction.moveBeforePreserving(end);
        const int enable = enable_operand(instruction);
        if (enable < 0) continue;
        builder.SetInsertPoint(&instruction);
        instruction.setOperand(
            static_cast<unsigned>(enable),
            builder.CreateLogicalAnd(reached_.at(block),
                                     instruction.getOperand(static_cast<unsigned>(enable))));
      }
      builder.SetInsertPoint(end);
      if (block != &latch) leave(*block, builder);
    }
    end->eraseFromParent();
    latch.getTerminator()->moveBefore(header, header.end());
    latch.replaceSuccessorsPhiUsesWith(&latch, &header);
    for (BasicBlock* next : llvm::successors(&header)) next->replacePhiUsesWith(&latch, &header);
    for (BasicBlock* block : blocks_) {
      if (block == &header) continue;
      block->dropAllReferences();
    }
    for (BasicBlock* block : blocks_) {
      if (block != &header) block->eraseFromParent();
    }
  }

 private:
  using Edge = std::pair<const BasicBlock*, const BasicBlock*>;

  bool is_possible() const {
    return loop_.getLoopLatch() && loop_.getExitingBlock() == loop_.getLoopLatch() &&
           loop_.getHeader() != loop_.getLoopLatch() &&
           std::all_of(blocks_.begin(), blocks_.end(), [](const BasicBlock* block) {
             return llvm::isa<llvm::BranchInst>(block->getTerminator()) && can_run_always(block);
           });
  }

  /// The conditions of the edges that leave a block.
  void leave(BasicBlock& block, llvm::IRBuilder<>& builder) {
    auto* branch = llvm::cast<llvm::BranchInst>(block.getTerminator());
    llvm::Value* here = reached_.at(&block);
    if (!branch->isConditional()) {
      taken_[{&block, branch->getSuccessor(0)}] = here;
      return;
    }
    llvm::Value* condition = branch->getCondition();
    llvm::Value* yes = builder.CreateLogicalAnd(here, condition);
    llvm::Value* no = builder.CreateLogicalAnd(here, builder.CreateNot(condition));
    if (branch->getSuccessor(0) == branch->getSuccessor(1)) yes = no = here;
    taken_[{&block, branch->getSuccessor(0)}] = yes;
    taken_[{&block, branch->getSuccessor(1)}] = no;
  }

  void reach(BasicBlock& block, llvm::IRBuilder<>& builder) {
    std::set<BasicBlock*> from(llvm::pred_begin(&block), llvm::pred_end(&block));
    std::vector<BasicBlock*> before;  // in the order of the blocks, which is the same in every run
    for (BasicBlock* one : blocks_) {
      if (from.count(one) != 0) before.push_back(one);
    }
    llvm::Value* any = builder.getFalse();
    for (BasicBlock* one : before) any = builder.CreateLogicalOr(any, taken_.at({one, &block}));
    reached_[&block] = any;
    for (llvm::PHINode& phi : llvm::make_early_inc_range(block.phis())) {
      llvm::Value* value = phi.getIncomingValueForBlock(before.front());
      for (std::size_t i = 1; i < before.size(); ++i) {
        value = builder.CreateSelect(taken_.at({before[i], &block}),
                                     phi.getIncomingValueForBlock(before[i]), value);
      }
      if (auto* select = llvm::dyn_cast<llvm::SelectInst>(value); select && !select->hasName()) {
        select->setName(phi.getName());
      }
      phi.replaceAllUsesWith(value);
      phi.eraseFromParent();
    }
  }

  const llvm::Loop& loop_;
  std::vector<BasicBlock*> blocks_;
  std::map<const BasicBlock*, llvm::Value*> reached_;
  std::map<Edge, llvm::Value*> taken_;
};

}  // namespace

void predicate_branches(llvm::Function& function) {
  Rounds rounds("predicate_branches", function);
  while (convert_one(function)) rounds.next();
}

void predicate_loops(llvm::Function& function) {
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (loop->isInnermost() && loop->getNumBlocks() > 1) LoopPredication(*loop).run();
  }
}

void narrow_counters(llvm::Function& function) {
  KernelAnalyses analyses(function);
  std::vector<std::pair<llvm::PHINode*, unsigned>> narrower;
  for (llvm::Loop* loop : analyses.loops().getLoopsInPreorder()) {
    for (llvm::PHINode& phi : loop->getHeader()->phis()) {
      if (!phi.getType()->isIntegerTy()) continue;
      const unsigned bits = std::max(1u, analyses.evolution()
                                             .getUnsignedRange(analyses.evolution().getSCEV(&phi))
                                             .getUnsignedMax()
                                             .getActiveBits());
      if (bits < phi.getType()->getIntegerBitWidth()) narrower.emplace_back(&phi, bits);
    }
  }
  for (const auto& [phi, bits] : narrower) {
    llvm::Type* type = llvm::Type::getIntNTy(function.getContext(), bits);
    auto* counter =
        llvm::PHINode::Create(type, phi->getNumIncomingValues(), "", phi->getIterator());
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      llvm::IRBuilder<> builder(phi->getIncomingBlock(i)->getTerminator());
      counter->addIncoming(builder.CreateTrunc(phi->getIncomingValue(i), type),
                           phi->getIncomingBlock(i));
    }
    llvm::IRBuilder<> builder(&*phi->getParent()->getFirstInsertionPt());
    llvm::Value* wide = builder.CreateZExt(counter, phi->getType());
    counter->takeName(phi);
    counter->setDebugLoc(phi->getDebugLoc());
    phi->replaceAllUsesWith(wide);
    phi->eraseFromParent();
  }
}

void narrow_by_ranges(llvm::Function& function) {
  KernelAnalyses analyses(function);
  std::vector<std::pair<llvm::Instruction*, unsigned>> narrower;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!llvm::isa<llvm::BinaryOperator>(instruction)) continue;
    const unsigned bits =
        std::max(1u, analyses.evolution()
                         .getUnsignedRange(analyses.evolution().getSCEV(&instruction))
                         .getUnsignedMax()
                         .getActiveBits());
    if (bits < instruction.getType()->getIntegerBitWidth()) {
      narrower.emplace_back(&instruction, bits);
    }
  }
  for (const auto& [instruction, bits] : narrower) {
    llvm::IRBuilder<> builder(instruction->getNextNode());
    auto* kept =
        llvm::cast<llvm::Instruction>(builder.CreateTrunc(instruction, builder.getIntNTy(bits)));
    llvm::Value* wide = builder.CreateZExt(kept, instruction->getType());
    instruction->replaceUsesWithIf(wide,
                                   [&](const llvm::Use& use) { return use.getUser() != kept; });
  }
}

}  // namespace systole::compiler
