#include "hls/compiler/loops/flatten_nest.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <set>

#include "hls/compiler/ir/operations.h"
#include "hls/compiler/loops/loop_options.h"
#include "hls/compiler/loops/sums_of_products.h"

namespace systole::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::PHINode;
using llvm::Value;

/// Blocks of one way are one.
void merge_ways(llvm::Function& function) {
  for (BasicBlock& block : llvm::make_early_inc_range(function)) {
    llvm::MergeBlockIntoPredecessor(&block);
  }
}

bool uses_streams(const BasicBlock& block) {
  return std::any_of(block.begin(), block.end(), [](const Instruction& instruction) {
    return is_operation(instruction, {Operation::kStreamPop, Operation::kStreamPush});
  });
}

std::optional<Nest> nest_of(const llvm::Loop& inner) {
  const llvm::Loop* outer = inner.getParentLoop();
  if (!outer || inner.getNumBlocks() != 1 || outer->getNumBlocks() != 3) return std::nullopt;
  BasicBlock* block = inner.getHeader();
  BasicBlock* after = outer->getLoopLatch();
  if (!after || after == block || outer->getExitingBlock() != after ||
      inner.getExitBlock() != after || !outer->getLoopPredecessor()) {
    return std::nullopt;
  }
  const bool straight = outer->getHeader()->getSingleSuccessor() == block &&
                        llvm::isa<llvm::BranchInst>(after->getTerminator()) &&
                        llvm::isa<llvm::BranchInst>(block->getTerminator());
  if (!straight || outer->getHeader() == after) return std::nullopt;
  // Elements and runs of the loop around stay between those of the inner one, which ends first.
  if (uses_streams(*outer->getHeader()) || uses_streams(*after)) return std::nullopt;
  return Nest{outer->getHeader(), block, after};
}

class Flattening {
 public:
  explicit Flattening(const Nest& nest) : nest_(nest), builder_(nest.before->getContext()) {}

  void run() {
    BasicBlock& flat = *nest_.before;
    Instruction* end = flat.getTerminator();
    builder_.SetInsertPoint(end);
    find_written_memories();
    const BasicBlock* from = outside();
    first_ = PHINode::Create(builder_.getInt1Ty(), 2, "first", flat.begin());
    first_->addIncoming(builder_.getTrue(), const_cast<BasicBlock*>(from));
    for (PHINode& choice : flat.phis()) {
      if (&choice != first_) outer_choices_.push_back(&choice);
    }
    for (Instruction& instruction : llvm::make_early_inc_range(flat)) {
      if (llvm::isa<PHINode>(instruction) || instruction.isTerminator()) continue;
      if (is_operation(instruction, Operation::kMemoryWrite)) enable(instruction, first_);
      if (is_operation(instruction, Operation::kMemoryRead)) keep(instruction);
    }
    for (PHINode& choice : llvm::make_early_inc_range(nest_.inner->phis())) restart(choice, end);
    move(*nest_.inner, end);
    builder_.SetInsertPoint(end);
    auto* again = llvm::cast<llvm::BranchInst>(nest_.inner->getTerminator());
    Value* goes_on = again->getSuccessor(0) == nest_.inner
                         ? again->getCondition()
                         : builder_.CreateNot(again->getCondition());
    Value* done = builder_.CreateNot(goes_on, "done");
    // Joins of one way into the block after.
    for (PHINode& join : llvm::make_early_inc_range(nest_.after->phis())) {
      join.replaceAllUsesWith(join.getIncomingValueForBlock(nest_.inner));
      join.eraseFromParent();
    }
    for (Instruction& instruction : *nest_.after) {
      if (!is_operation(instruction, Operation::kMemoryWrite)) continue;
      builder_.SetInsertPoint(&instruction);
      enable(instruction, done);
    }
    move(*nest_.after, end);
    builder_.SetInsertPoint(end);
    finish(flat, done, goes_on);
  }

 private:
  struct InnerChoice {
    PHINode* choice;
    Value* next;
    llvm::Constant* start;  ///< null if it is computed in the first iteration
  };

  /// The inner loop's choice starts again in each of its first iterations.
  void restart(PHINode& choice, Instruction* end) {
    Value* start = choice.getIncomingValueForBlock(nest_.before);
    auto* constant = llvm::dyn_cast<llvm::Constant>(start);
    // A sum of products starts over where it is added to, as a multiplier's own adder can: cleared
    // after the last one, it could not be stored from its register.
    if (adds_products(*choice.getIncomingValueForBlock(nest_.inner), choice)) constant = nullptr;
    auto* moved = PHINode::Create(choice.getType(), 2, choice.getName(), nest_.before->begin());
    moved->setDebugLoc(choice.getDebugLoc());
    if (PHINode* outer = handed_on(choice); outer || is_unread_at_first(choice)) {
      moved->addIncoming(outer ? outer->getIncomingValueForBlock(outside())
                               : llvm::Constant::getNullValue(choice.getType()),
                         const_cast<BasicBlock*>(outside()));
      moved->takeName(&choice);
      replace(choice, moved, moved, nullptr);
      if (outer) {
        std::erase(outer_choices_, outer);
        outer->eraseFromParent();
      }
      return;
    }
    moved->addIncoming(constant ? constant : llvm::Constant::getNullValue(choice.getType()),
                       const_cast<BasicBlock*>(outside()));
    builder_.SetInsertPoint(end);
    builder_.SetCurrentDebugLocation(choice.getDebugLoc());
    Value* now = constant ? moved : builder_.CreateSelect(first_, start, moved);
    if (llvm::isa<Instruction>(now)) now->takeName(&choice);
    replace(choice, moved, now, constant);
  }

  void replace(PHINode& choice, PHINode* moved, Value* now, llvm::Constant* start) {
    inner_choices_.push_back({moved, choice.getIncomingValueForBlock(nest_.inner), start});
    choice.replaceAllUsesWith(now);
    for (InnerChoice& one : inner_choices_) {
      if (one.next == &choice) one.next = now;
    }
    choice.eraseFromParent();
  }

  /// The outer loop's choice, if all it does is to hand the inner one's last value to its next run.
  PHINode* handed_on(const PHINode& choice) const {
    auto* outer = llvm::dyn_cast<PHINode>(choice.getIncomingValueForBlock(nest_.before));
    if (!outer || outer->getParent() != nest_.before || !outer->hasOneUse()) return nullptr;
    const Value* last = outer->getIncomingValueForBlock(nest_.after);
    const auto* join = llvm::dyn_cast<PHINode>(last);
    if (join && join->getParent() == nest_.after)
      last = join->getIncomingValueForBlock(nest_.inner);
    return last == choice.getIncomingValueForBlock(nest_.inner) ? outer : nullptr;
  }

  /// Whether the first iteration takes something else in the choice's place, in a nest that became
  /// one loop before.
  bool is_unread_at_first(const PHINode& choice) const {
    return std::ranges::all_of(choice.users(), [&](const llvm::User* user) {
      const auto* select = llvm::dyn_cast<llvm::SelectInst>(user);
      const auto* first = select ? llvm::dyn_cast<PHINode>(select->getCondition()) : nullptr;
      return first && first != &choice && first->getParent() == nest_.inner &&
             select->getTrueValue() != &choice &&
             llvm::PatternMatch::match(first->getIncomingValueForBlock(nest_.before),
                                       llvm::PatternMatch::m_One());
    });
  }

  const BasicBlock* outside() const {
    for (const BasicBlock* one : llvm::predecessors(nest_.before)) {
      if (one != nest_.after) return one;
    }
    return nullptr;
  }

  void find_written_memories() {
    for (const BasicBlock& block : *nest_.before->getParent()) {
      for (const Instruction& instruction : block) {
        if (is_operation(instruction, Operation::kMemoryWrite)) {
          written_.insert(leaf_of(instruction));
        }
      }
    }
  }

  void enable(Instruction& write, Value* when) {
    auto& call = llvm::cast<llvm::CallInst>(write);
    builder_.SetInsertPoint(&write);
    call.setArgOperand(3, builder_.CreateAnd(when, call.getArgOperand(3)));
  }

  /// The word that the outer loop read before the inner one, which may change it.
  void keep(Instruction& read) {
    if (written_.count(leaf_of(read)) == 0) return;
    auto* kept = PHINode::Create(read.getType(), 2, "kept", nest_.before->begin());
    builder_.SetInsertPoint(read.getNextNode());
    auto* now = llvm::cast<Instruction>(builder_.CreateSelect(first_, &read, kept));
    read.replaceUsesWithIf(now, [&](const llvm::Use& use) { return use.getUser() != now; });
    kept->addIncoming(llvm::Constant::getNullValue(read.getType()),
                      const_cast<BasicBlock*>(outside()));
    kept_.emplace_back(kept, now);
  }

  void move(BasicBlock& from, Instruction* end) {
    for (Instruction& instruction : llvm::make_early_inc_range(from)) {
      if (instruction.isTerminator()) break;
      instruction.dropPoisonGeneratingFlags();  // it runs in more cases now
      instruction.moveBeforePreserving(end);
    }
  }

  void finish(BasicBlock& flat, Value* done, Value* goes_on) {
    auto* latch = llvm::cast<llvm::BranchInst>(nest_.after->getTerminator());
    const bool first_stays = latch->getSuccessor(0) == nest_.before;
    BasicBlock* exit = latch->getSuccessor(first_stays ? 1 : 0);
    Value* turns = first_stays ? latch->getCondition() : builder_.CreateNot(latch->getCondition());
    for (PHINode* choice : outer_choices_) {
      Value* next = choice->getIncomingValueForBlock(nest_.after);
      choice->removeIncomingValue(nest_.after, false);
      choice->addIncoming(builder_.CreateSelect(done, next, choice), &flat);
    }
    for (const InnerChoice& one : inner_choices_) {
      Value* next = one.start ? builder_.CreateSelect(done, one.start, one.next) : one.next;
      one.choice->addIncoming(next, &flat);
    }
    for (const auto& [choice, next] : kept_) choice->addIncoming(next, &flat);
    first_->addIncoming(done, &flat);
    Value* stays = builder_.CreateOr(goes_on, turns);
    auto* branch =
        llvm::BranchInst::Create(&flat, exit, stays, flat.getTerminator()->getIterator());
    branch->setDebugLoc(nest_.inner->getTerminator()->getDebugLoc());
    branch->setMetadata(llvm::LLVMContext::MD_loop,
                        nest_.inner->getTerminator()->getMetadata(llvm::LLVMContext::MD_loop));
    flat.getTerminator()->eraseFromParent();  // the way to the inner loop
    exit->replacePhiUsesWith(nest_.after, &flat);
    for (BasicBlock* gone : {nest_.inner, nest_.after}) gone->dropAllReferences();
    for (BasicBlock* gone : {nest_.inner, nest_.after}) gone->eraseFromParent();
  }

  const Nest& nest_;
  llvm::IRBuilder<> builder_;
  PHINode* first_ = nullptr;
  std::vector<PHINode*> outer_choices_;
  std::set<int> written_;
  std::vector<InnerChoice> inner_choices_;
  std::vector<std::pair<PHINode*, Value*>> kept_;
};

}  // namespace

std::vector<Nest> nests_of(llvm::Function& function) {
  merge_ways(function);
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  std::vector<Nest> found;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost()) continue;
    const bool refuses = interval_asked(*loop) == 0 ||
                         (loop->getParentLoop() && interval_asked(*loop->getParentLoop()));
    if (refuses) continue;
    if (const auto nest = nest_of(*loop)) found.push_back(*nest);
  }
  return found;
}

void flatten(const Nest& nest) { Flattening(nest).run(); }

}  // namespace systole::compiler
