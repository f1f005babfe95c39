#include "hls/compiler/passes/split_at_suspensions.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "hls/compiler/passes/make_sequential.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

using llvm::dyn_cast;

bool ends_in_suspension(const llvm::BasicBlock& block) {
  const llvm::Instruction* last = block.getTerminator()->getPrevNode();
  return last && is_suspension(*last);
}

/// The blocks reachable from a block's end through a suspension.
std::set<const llvm::BasicBlock*> across_suspension(const llvm::BasicBlock& from) {
  std::set<std::pair<const llvm::BasicBlock*, bool>> seen;
  std::vector<std::pair<const llvm::BasicBlock*, bool>> open;
  const auto leave = [&](const llvm::BasicBlock& block, bool crossed) {
    const bool now = crossed || ends_in_suspension(block);
    for (const llvm::BasicBlock* next : llvm::successors(&block)) {
      if (seen.insert({next, now}).second) open.push_back({next, now});
    }
  };
  leave(from, false);
  std::set<const llvm::BasicBlock*> across;
  while (!open.empty()) {
    const auto [block, crossed] = open.back();
    open.pop_back();
    if (crossed) across.insert(block);
    if (block != &from) leave(*block, crossed);  // the value is recomputed there
  }
  return across;
}

/// A use of the value after a wait, and where the value must be read for it.
struct LateUse {
  llvm::Use* use;
  llvm::Instruction* before;
};

/// By block: across_suspension() of it.
using Across = std::map<const llvm::BasicBlock*, std::set<const llvm::BasicBlock*>>;

std::vector<LateUse> late_uses(llvm::Instruction& value, Across& known) {
  const auto [found, is_new] = known.try_emplace(value.getParent());
  if (is_new) found->second = across_suspension(*value.getParent());
  const auto& across = found->second;
  std::vector<LateUse> late;
  for (llvm::Use& use : value.uses()) {
    auto* user = llvm::cast<llvm::Instruction>(use.getUser());
    llvm::Instruction* at = user;
    if (auto* phi = dyn_cast<llvm::PHINode>(user)) at = phi->getIncomingBlock(use)->getTerminator();
    if (at->getParent() == value.getParent() && at == user) continue;
    // A wait at the end of the value's own block precedes every edge out of it.
    if (at->getParent() == value.getParent()) continue;
    if (across.count(at->getParent()) != 0) late.push_back({&use, at});
  }
  return late;
}

/// Casts are wires, and a member's address is not a value: their operand is kept instead.
bool recompute(llvm::Instruction& value, const std::vector<LateUse>& late) {
  if (const auto* step = dyn_cast<llvm::GetElementPtrInst>(&value)) {
    if (!step->hasAllConstantIndices()) return false;
  } else if (!llvm::isa<llvm::CastInst>(value) ||
             value.getOperand(0)->getType()->getScalarSizeInBits() >
                 value.getType()->getScalarSizeInBits()) {
    return false;  // a part is cheaper to keep
  }
  for (const LateUse& one : late) {
    llvm::Instruction* again = value.clone();
    again->insertBefore(one.before);
    again->setName(value.getName());
    one.use->set(again);
  }
  return true;
}

/// The bits that each loop counter needs, if its last value is known: `int i` has 32.
std::map<const llvm::Value*, unsigned> counter_bits(llvm::Function& function) {
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  llvm::AssumptionCache assumptions(function);
  const llvm::TargetLibraryInfoImpl libraries;
  llvm::TargetLibraryInfo library(libraries);
  llvm::ScalarEvolution evolution(function, library, assumptions, dominators, loops);
  std::map<const llvm::Value*, unsigned> bits;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    for (llvm::PHINode& phi : loop->getHeader()->phis()) {
      if (!phi.getType()->isIntegerTy() || !evolution.isSCEVable(phi.getType())) continue;
      const llvm::APInt most = evolution.getUnsignedRangeMax(evolution.getSCEV(&phi));
      bits[&phi] = std::max(1u, most.getActiveBits());
    }
  }
  return bits;
}

/// What is kept of a value: its low bits, of which the others follow.
struct Kept {
  unsigned bits = 0;
  bool is_signed = false;
};

Kept kept_of(const llvm::Instruction& value,
             const std::map<const llvm::Value*, unsigned>& counters) {
  const unsigned width = value.getType()->getScalarSizeInBits();
  const auto counter = counters.find(&value);
  if (counter != counters.end()) return {.bits = counter->second};
  if (!value.getType()->isIntegerTy()) return {.bits = width};
  const llvm::DataLayout& layout = value.getModule()->getDataLayout();
  const unsigned active = llvm::computeKnownBits(&value, layout).countMaxActiveBits();
  const unsigned significant = llvm::ComputeMaxSignificantBits(&value, layout);
  if (active <= significant) return {.bits = std::max(1u, active)};
  return {.bits = significant, .is_signed = true};
}

llvm::AllocaInst* carry(llvm::Instruction& value, const std::vector<LateUse>& late, Kept what) {
  if (!value.getType()->isIntegerTy()) {
    refuse(value, "this reference is kept while the thread waits; choose it again after the wait");
  }
  llvm::Function& function = *value.getFunction();
  llvm::IRBuilder<> start(&*function.getEntryBlock().getFirstInsertionPt());
  llvm::Type* kept = start.getIntNTy(what.bits);
  llvm::AllocaInst* memory = start.CreateAlloca(kept, nullptr, value.getName());
  std::map<const llvm::Instruction*, llvm::Value*> read;
  for (const LateUse& one : late) {
    llvm::Value*& again = read[one.before];
    if (!again) {
      llvm::IRBuilder<> builder(one.before);
      llvm::Value* low = builder.CreateLoad(kept, memory);
      again = what.is_signed ? builder.CreateSExt(low, value.getType())
                             : builder.CreateZExt(low, value.getType());
    }
    one.use->set(again);
  }
  llvm::Instruction* behind = llvm::isa<llvm::PHINode>(value)
                                  ? &*value.getParent()->getFirstInsertionPt()
                                  : value.getNextNode();
  llvm::IRBuilder<> builder(behind);
  builder.CreateStore(builder.CreateTrunc(&value, kept), memory)->setDebugLoc(value.getDebugLoc());
  return memory;
}

/// The first branch of a remaining loop, or null.
const llvm::Instruction* turning_branch(const llvm::Function& function) {
  std::set<const llvm::BasicBlock*> open;
  std::set<const llvm::BasicBlock*> done;
  const std::function<const llvm::Instruction*(const llvm::BasicBlock&)> visit =
      [&](const llvm::BasicBlock& block) -> const llvm::Instruction* {
    open.insert(&block);
    for (const llvm::BasicBlock* next : llvm::successors(&block)) {
      if (open.count(next) != 0) return block.getTerminator();
      if (done.count(next) != 0) continue;
      if (const llvm::Instruction* found = visit(*next)) return found;
    }
    open.erase(&block);
    done.insert(&block);
    return nullptr;
  };
  return visit(function.getEntryBlock());
}

/// Copies the blocks reachable from `start` before the next suspension. Copying the whole function
/// for every state would take quadratic time.
void copy_blocks(llvm::Function& function, llvm::Function& copy, const llvm::BasicBlock& start,
                 llvm::ValueToValueMapTy& copies) {
  std::set<const llvm::BasicBlock*> reached = {&start};
  std::vector<const llvm::BasicBlock*> open = {&start};
  while (!open.empty()) {
    const llvm::BasicBlock* block = open.back();
    open.pop_back();
    if (ends_in_suspension(*block)) continue;
    for (const llvm::BasicBlock* next : llvm::successors(block)) {
      if (reached.insert(next).second) open.push_back(next);
    }
  }
  std::vector<llvm::BasicBlock*> blocks;
  for (llvm::BasicBlock& block : function) {
    if (reached.count(&block) == 0) continue;
    blocks.push_back(llvm::CloneBasicBlock(&block, copies, "", &copy));
    copies[&block] = blocks.back();
  }
  const auto flags = llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals;
  for (const llvm::BasicBlock& block : function) {  // incoming edges that are not copied
    if (reached.count(&block) == 0) continue;
    for (const llvm::PHINode& phi : block.phis()) {
      auto* chosen = llvm::cast<llvm::PHINode>(copies[&phi]);
      bool fewer = false;
      for (unsigned i = phi.getNumIncomingValues(); i-- > 0;) {
        const llvm::BasicBlock* from = phi.getIncomingBlock(i);
        if (reached.count(from) != 0 && !ends_in_suspension(*from)) continue;
        chosen->removeIncomingValue(i, /*DeletePHIIfEmpty=*/false);
        fewer = true;
      }
      llvm::RemapInstruction(chosen, copies, flags);
      llvm::Value* only = fewer ? chosen->hasConstantValue() : nullptr;
      if (!only) continue;
      chosen->replaceAllUsesWith(only);
      chosen->eraseFromParent();
      copies[&phi] = only;
    }
  }
  for (llvm::BasicBlock* block : blocks) {
    for (llvm::Instruction& instruction : *block) {
      // Drops debug records of values in blocks that are not copied.
      llvm::RemapDbgRecordRange(function.getParent(), instruction.getDbgRecordRange(), copies,
                                llvm::RF_NoModuleLevelChanges);
      if (!llvm::isa<llvm::PHINode>(instruction)) {
        llvm::RemapInstruction(&instruction, copies, flags);
      }
    }
  }
}

}  // namespace

Suspensions split_at_suspensions(llvm::Function& function) {
  // Unrolling and loops in LCSSA form leave these; recompute() must see through them.
  for (llvm::BasicBlock& block : function) {
    for (llvm::PHINode& phi : llvm::make_early_inc_range(block.phis())) {
      llvm::Value* only = phi.hasConstantValue();
      if (!only || (block.getSinglePredecessor() == nullptr && !only->getType()->isPointerTy())) {
        continue;
      }
      phi.replaceAllUsesWith(only);
      phi.eraseFromParent();
    }
  }
  Suspensions result;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (is_suspension(instruction))
      result.calls.push_back(llvm::cast<llvm::CallInst>(&instruction));
  }
  std::vector<std::tuple<bool, unsigned, std::size_t>> order;
  for (std::size_t i = 0; i < result.calls.size(); ++i) {
    const llvm::DebugLoc& at = result.calls[i]->getDebugLoc();
    order.emplace_back(is_final(*result.calls[i]), at ? at.getLine() : 0, i);
  }
  std::sort(order.begin(), order.end());
  std::vector<llvm::CallInst*> sorted;
  for (const auto& [final, line, i] : order) sorted.push_back(result.calls[i]);
  result.calls = sorted;
  for (llvm::CallInst* call : result.calls) {
    llvm::SplitBlock(call->getParent(), call->getNextNode());
    result.resumed.push_back(call->getParent()->getSingleSuccessor());
  }
  const std::map<const llvm::Value*, unsigned> counters = counter_bits(function);
  // Twice, since recomputing a cast carries its operand over the wait.
  std::vector<llvm::Instruction*> values;
  Across across;
  for (int round = 0; round < 2; ++round) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (instruction.getType()->isVoidTy() || llvm::isa<llvm::AllocaInst>(instruction)) continue;
      values.push_back(&instruction);
    }
    // From the end, to follow a chain of casts to its start.
    std::reverse(values.begin(), values.end());
    for (llvm::Instruction* value : values) {
      const std::vector<LateUse> late = late_uses(*value, across);
      if (late.empty() || (round == 0 && recompute(*value, late)) || round == 0) continue;
      result.carried.push_back(carry(*value, late, kept_of(*value, counters)));
    }
    values.clear();
  }
  return result;
}

StateFunction extract_state(llvm::Function& function, const Suspensions& suspensions,
                            const llvm::BasicBlock* start, const std::string& name,
                            unsigned state_bits) {
  llvm::ValueToValueMapTy copies;
  StateFunction state;
  state.body = llvm::Function::Create(function.getFunctionType(), llvm::GlobalValue::WeakODRLinkage,
                                      name, function.getParent());
  state.body->copyAttributesFrom(&function);
  state.body->setSubprogram(function.getSubprogram());
  for (unsigned i = 0; i < function.arg_size(); ++i) {
    state.body->getArg(i)->setName(function.getArg(i)->getName());
    copies[function.getArg(i)] = state.body->getArg(i);
  }
  llvm::IRBuilder<> builder(state.body->getContext());
  if (start) {
    builder.SetInsertPoint(llvm::BasicBlock::Create(state.body->getContext(), "edge", state.body));
    for (const llvm::Instruction& instruction : function.getEntryBlock()) {
      if (!llvm::isa<llvm::AllocaInst>(instruction)) continue;
      copies[&instruction] = builder.Insert(instruction.clone(), instruction.getName());
    }
  }
  copy_blocks(function, *state.body, start ? *start : function.getEntryBlock(), copies);
  if (start) builder.CreateBr(llvm::cast<llvm::BasicBlock>(copies[start]));
  builder.SetInsertPoint(&*state.body->getEntryBlock().getFirstInsertionPt());
  state.next_state = builder.CreateAlloca(builder.getIntNTy(state_bits), nullptr, "state");
  for (std::size_t i = 0; i < suspensions.calls.size(); ++i) {
    const auto found = copies.find(suspensions.calls[i]);
    if (found == copies.end()) continue;
    auto* call = llvm::cast<llvm::CallInst>(found->second);
    llvm::Instruction* end = call->getParent()->getTerminator();
    builder.SetInsertPoint(end);
    builder
        .CreateStore(builder.getIntN(state_bits, static_cast<std::uint64_t>(i)), state.next_state)
        ->setDebugLoc(call->getDebugLoc());
    llvm::Type* type = state.body->getReturnType();
    type->isVoidTy() ? builder.CreateRetVoid()
                     : builder.CreateRet(llvm::Constant::getNullValue(type));
    end->eraseFromParent();
    call->eraseFromParent();
  }
  if (const llvm::Instruction* branch = turning_branch(*state.body)) {
    refuse(*branch,
           "this loop can run without a clock; put co_await clock() in its body, or count with "
           "do ... while where at least one iteration is sure");
  }
  for (llvm::AllocaInst* memory : suspensions.carried) {
    state.carried.push_back(llvm::cast<llvm::AllocaInst>(copies[memory]));
  }
  return state;
}

}  // namespace systole::compiler
