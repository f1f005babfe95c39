#include "hls/compiler/passes/lift_outputs.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <set>

#include "hls/compiler/ir/operations.h"

namespace systole::compiler {
namespace {

class Lift {
 public:
  explicit Lift(llvm::Function& clock)
      : clock_(clock), dominators_(clock), after_(clock), loops_(dominators_) {}

  void run() {
    for (const llvm::Instruction& instruction : llvm::instructions(clock_)) {
      if (is_operation(instruction, Operation::kWritePort)) {
        lift(instruction.getOperand(2));
      } else if (is_operation(instruction, Operation::kInstanceInput)) {
        lift(instruction.getOperand(3));
      }
    }
  }

 private:
  bool always_runs(const llvm::BasicBlock* block) const {
    return !loops_.getLoopFor(block) && after_.dominates(block, &clock_.getEntryBlock());
  }

  /// Moves the value to a block that always runs, if its operands are available there.
  void lift(llvm::Value* value) {
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction || !seen_.insert(instruction).second) return;
    for (llvm::Value* operand : instruction->operands()) lift(operand);
    if (always_runs(instruction->getParent()) || llvm::isa<llvm::PHINode>(instruction) ||
        instruction->isTerminator() || instruction->mayReadOrWriteMemory()) {
      return;
    }
    for (const llvm::Value* operand : instruction->operands()) {
      const auto* source = llvm::dyn_cast<llvm::Instruction>(operand);
      if (source && !always_runs(source->getParent())) return;
    }
    // The blocks that always run above the value form a chain, and its operands are among them.
    const llvm::DomTreeNode* above = dominators_.getNode(instruction->getParent());
    while (!always_runs(above->getBlock())) above = above->getIDom();
    instruction->dropUBImplyingAttrsAndMetadata();
    instruction->moveBefore(above->getBlock()->getTerminator());
  }

  llvm::Function& clock_;
  const llvm::DominatorTree dominators_;
  const llvm::PostDominatorTree after_;
  const llvm::LoopInfo loops_;
  std::set<const llvm::Instruction*> seen_;
};

}  // namespace

void lift_outputs(llvm::Function& clock) { Lift(clock).run(); }

}  // namespace systole::compiler
