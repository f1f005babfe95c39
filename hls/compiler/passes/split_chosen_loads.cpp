#include "hls/compiler/passes/split_chosen_loads.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <vector>

#include "hls/compiler/support/rounds.h"

namespace systole::compiler {
namespace {

/// Whether a loop, of any shape, is entered at the block. A pointer that joins there walks: its
/// next value is a step from itself, and a load of that would be a load through the same join
/// again.
bool enters_loop(const llvm::BasicBlock& block, const llvm::CycleInfo& cycles) {
  for (const llvm::Cycle* one = cycles.getCycle(&block); one; one = one->getParentCycle()) {
    if (one->isEntry(const_cast<llvm::BasicBlock*>(&block))) return true;
  }
  return false;
}

/// Whether nothing is written between the join of the pointers and the load, and the join is not a
/// loop's.
bool joins_before(const llvm::PHINode& phi, const llvm::LoadInst& load,
                  const llvm::CycleInfo& cycles) {
  const llvm::BasicBlock* join = phi.getParent();
  if (enters_loop(*join, cycles)) return false;
  const auto writes = [](const llvm::Instruction& one) { return one.mayWriteToMemory(); };
  const llvm::BasicBlock* last = load.getParent();
  if (last == join) return std::none_of(phi.getIterator(), load.getIterator(), writes);
  if (std::any_of(last->begin(), load.getIterator(), writes) ||
      std::any_of(phi.getIterator(), join->end(), writes)) {
    return false;
  }
  // The join dominates the load, so walking up from the load always ends there.
  llvm::SetVector<const llvm::BasicBlock*> between(llvm::pred_begin(last), llvm::pred_end(last));
  for (std::size_t i = 0; i < between.size(); ++i) {
    if (between[i] == join) continue;
    if (std::any_of(between[i]->begin(), between[i]->end(), writes)) return false;
    between.insert(llvm::pred_begin(between[i]), llvm::pred_end(between[i]));
  }
  return true;
}

/// The pointer that a load steps from, into a member or to an element, and those steps, last first.
struct Steps {
  llvm::Value* base = nullptr;
  std::vector<llvm::GetElementPtrInst*> steps;
  bool fixed = true;  ///< so they may move to where the base comes from
};

Steps steps_of(const llvm::LoadInst& load) {
  Steps found{const_cast<llvm::Value*>(load.getPointerOperand()), {}, true};
  while (auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(found.base)) {
    found.steps.push_back(step);
    found.fixed &= step->hasAllConstantIndices();
    found.base = step->getPointerOperand();
  }
  return found;
}

/// The same load from another base.
llvm::LoadInst* load_from(llvm::IRBuilder<>& builder, const llvm::LoadInst& load, const Steps& path,
                          llvm::Value* base) {
  for (auto step = path.steps.rbegin(); step != path.steps.rend(); ++step) {
    llvm::Instruction* copy = (*step)->clone();
    copy->setOperand(0, base);
    base = builder.Insert(copy);
  }
  return builder.CreateLoad(load.getType(), base);
}

void replace(llvm::LoadInst& load, llvm::Value* value) {
  if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(value)) {
    instruction->setDebugLoc(load.getDebugLoc());
  }
  value->takeName(&load);
  load.replaceAllUsesWith(value);
  load.eraseFromParent();
}

}  // namespace

llvm::PreservedAnalyses SplitChosenLoads::run(llvm::Function& function,
                                              llvm::FunctionAnalysisManager& analyses) {
  const llvm::CycleInfo& cycles = analyses.getResult<llvm::CycleAnalysis>(function);
  bool changed = false;
  std::vector<llvm::LoadInst*> loads;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) loads.push_back(load);
  }
  Rounds rounds("split_chosen_loads", function);
  for (; !loads.empty(); rounds.next()) {
    llvm::LoadInst* load = loads.back();
    loads.pop_back();
    const Steps path = steps_of(*load);
    if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(path.base)) {
      llvm::IRBuilder<> builder(load);
      auto* first = load_from(builder, *load, path, choice->getTrueValue());
      auto* second = load_from(builder, *load, path, choice->getFalseValue());
      replace(*load, builder.CreateSelect(choice->getCondition(), first, second));
      loads.insert(loads.end(), {first, second});
      changed = true;
    } else if (auto* phi = llvm::dyn_cast<llvm::PHINode>(path.base);
               phi && path.fixed && phi->getNumIncomingValues() > 1 &&
               joins_before(*phi, *load, cycles)) {
      llvm::IRBuilder<> builder(phi);
      llvm::PHINode* values = builder.CreatePHI(load->getType(), phi->getNumIncomingValues());
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
        builder.SetInsertPoint(phi->getIncomingBlock(i)->getTerminator());
        auto* value = load_from(builder, *load, path, phi->getIncomingValue(i));
        values->addIncoming(value, phi->getIncomingBlock(i));
        loads.push_back(value);
      }
      replace(*load, values);
      changed = true;
    }
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace systole::compiler
