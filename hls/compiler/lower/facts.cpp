#include "hls/compiler/lower/facts.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "hls/compiler/ir/operations.h"
#include "hls/compiler/ir/picks.h"
#include "hls/compiler/passes/expand_intrinsics.h"

namespace systole::compiler {
namespace {

bool uses_memory(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::AllocaInst>(instruction) || llvm::isa<llvm::LoadInst>(instruction) ||
         llvm::isa<llvm::StoreInst>(instruction) ||
         llvm::isa<llvm::GetElementPtrInst>(instruction) ||
         llvm::isa<llvm::MemIntrinsic>(instruction);
}

bool is_plain_call(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::IntrinsicInst>(instruction) || is_any_operation(instruction) ||
         as_pick(instruction) != nullptr;
}

bool has_loop(const llvm::Function& function) {
  const llvm::DominatorTree dominators(const_cast<llvm::Function&>(function));
  return !llvm::LoopInfo(dominators).empty();
}

}  // namespace

std::string broken_fact(const llvm::Function& function, Facts facts) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (facts.has(Fact::kNoMemory) && uses_memory(instruction)) return "no memory";
    if (facts.has(Fact::kNoCalls) && llvm::isa<llvm::CallInst>(instruction) &&
        !is_plain_call(instruction)) {
      return "no calls";
    }
    if (facts.has(Fact::kNoSwitches) && llvm::isa<llvm::SwitchInst>(instruction)) {
      return "no switches";
    }
    if (facts.has(Fact::kPlainOperations) && must_expand(instruction)) return "plain operations";
  }
  if (facts.has(Fact::kOneBlock) && function.size() > 1) return "one block";
  if (facts.has(Fact::kNoLoops) && has_loop(function)) return "no loops";
  return "";
}

}  // namespace systole::compiler
