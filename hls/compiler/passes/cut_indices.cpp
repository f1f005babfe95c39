#include "hls/compiler/passes/cut_indices.h"

#include <fmt/format.h>
#include <llvm/Analysis/LazyValueInfo.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <set>
#include <vector>

#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

/// The accesses of arrays: leaf and index are their first arguments.
std::vector<llvm::CallInst*> array_accesses(llvm::Function& function) {
  std::vector<llvm::CallInst*> accesses;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (is_operation(instruction, {Operation::kLoad, Operation::kStore, Operation::kPipelineOutput,
                                   Operation::kPipelineClock})) {
      accesses.push_back(llvm::cast<llvm::CallInst>(&instruction));
    }
  }
  return accesses;
}

const Leaf& array_of(const llvm::CallInst& access, const LoweredModule& module) {
  return module.state[static_cast<std::size_t>(leaf_of(access))];
}

/// Whether a loop's counter is part of the value.
bool counts(const llvm::Value& value, const llvm::LoopInfo& loops) {
  std::vector<const llvm::Value*> open = {&value};
  std::set<const llvm::Value*> seen;
  while (!open.empty()) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(open.back());
    open.pop_back();
    if (!instruction || is_any_operation(*instruction) || !seen.insert(instruction).second)
      continue;
    if (!llvm::isa<llvm::PHINode>(instruction)) {
      open.insert(open.end(), instruction->op_begin(), instruction->op_end());
    } else if (loops.isLoopHeader(instruction->getParent())) {
      return true;
    }
  }
  return false;
}

}  // namespace

void check_index_ranges(llvm::Function& function, const LoweredModule& module) {
  llvm::FunctionAnalysisManager analyses;
  llvm::PassBuilder().registerFunctionAnalyses(analyses);
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto& values = analyses.getResult<llvm::LazyValueAnalysis>(function);
  for (llvm::CallInst* call : array_accesses(function)) {
    if (is_operation(*call, {Operation::kLoad, Operation::kStore})) continue;
    const Leaf& leaf = array_of(*call, module);
    llvm::Value* index = call->getArgOperand(1);
    // From the loops that count it, and the conditions around it.
    const llvm::ConstantRange range =
        evolution.getUnsignedRange(evolution.getSCEV(index))
            .intersectWith(values.getConstantRange(index, call, false));
    if (range.isEmptySet() || range.getUnsignedMax().ult(leaf.elements())) continue;
    refuse(*call, fmt::format("this index may fall outside of '{}', which has {} elements; "
                              "size the array by the width of its index, or guard the access",
                              leaf.name, leaf.elements()));
  }
}

void cut_indices(llvm::Function& function, const LoweredModule& module) {
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  for (llvm::CallInst* call : array_accesses(function)) {
    llvm::Value* index = call->getArgOperand(1);
    if (llvm::isa<llvm::Constant>(index) || counts(*index, loops)) continue;
    const auto elements = static_cast<std::uint64_t>(array_of(*call, module).elements());
    const unsigned bits = std::max(1u, llvm::Log2_64_Ceil(elements));
    const auto* extended = llvm::dyn_cast<llvm::ZExtInst>(index);
    if (extended && extended->getSrcTy()->getIntegerBitWidth() <= bits) continue;
    llvm::IRBuilder<> builder(call);
    llvm::Value* cut = builder.CreateTrunc(index, builder.getIntNTy(bits));
    call->setArgOperand(1, builder.CreateZExt(cut, index->getType()));
    llvm::RecursivelyDeleteTriviallyDeadInstructions(index);
  }
}

void separate_indices(llvm::Function& function, const LoweredModule& module) {
  cut_indices(function, module);
  for (llvm::CallInst* call : array_accesses(function)) {
    auto* index = llvm::dyn_cast<llvm::ZExtInst>(call->getArgOperand(1));
    if (!index || index->hasOneUse()) continue;
    llvm::Instruction* own = index->clone();
    own->insertBefore(call);
    call->setArgOperand(1, own);
  }
}

}  // namespace systole::compiler
