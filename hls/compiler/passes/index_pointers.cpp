#include "hls/compiler/passes/index_pointers.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace systole::compiler {
namespace {

using llvm::dyn_cast;

/// A pointer that starts somewhere and takes a constant step in every iteration.
bool walks(llvm::PHINode& phi, llvm::Value*& start, llvm::GetElementPtrInst*& next) {
  if (!phi.getType()->isPointerTy() || phi.getNumIncomingValues() != 2) return false;
  for (unsigned i = 0; i < 2; ++i) {
    auto* step = dyn_cast<llvm::GetElementPtrInst>(phi.getIncomingValue(i));
    if (!step || step->getPointerOperand() != &phi || !step->hasAllConstantIndices()) continue;
    next = step;
    start = phi.getIncomingValue(1 - i);
    return true;
  }
  return false;
}

/// Whether the last index of a step is a member's number, and not an element's.
bool ends_at_member(const llvm::GEPOperator& step) {
  bool is_member = false;
  for (auto at = llvm::gep_type_begin(step); at != llvm::gep_type_end(step); ++at) {
    is_member = at.isStruct();
  }
  return is_member;
}

/// The array that an element is of, and the element's index: a walk down to the array's start
/// counts down to 0.
llvm::Value* start_of_array(llvm::Value* pointer, const llvm::Type* element, std::int64_t& index) {
  auto* step = dyn_cast<llvm::GEPOperator>(pointer);
  if (!step || step->getResultElementType() != element || ends_at_member(*step)) return pointer;
  llvm::SmallVector<llvm::Value*, 4> indices(step->indices());
  const auto* last = dyn_cast<llvm::ConstantInt>(indices.back());
  if (!last || last->isNegative()) return pointer;
  index = last->getSExtValue();
  if (indices.size() == 1) return step->getPointerOperand();
  indices.back() = llvm::ConstantInt::get(last->getType(), 0);
  if (auto* instruction = dyn_cast<llvm::Instruction>(step)) {
    llvm::IRBuilder<> builder(instruction);
    return builder.CreateGEP(step->getSourceElementType(), step->getPointerOperand(), indices);
  }
  return llvm::ConstantExpr::getGetElementPtr(step->getSourceElementType(),
                                              llvm::cast<llvm::Constant>(step->getPointerOperand()),
                                              llvm::ArrayRef<llvm::Value*>(indices));
}

bool index_one(llvm::PHINode& phi, llvm::Value* start, llvm::GetElementPtrInst* next) {
  const llvm::DataLayout& layout = phi.getModule()->getDataLayout();
  llvm::APInt step(64, 0);
  next->accumulateConstantOffset(layout, step);
  llvm::Type* type = llvm::Type::getInt64Ty(phi.getContext());
  llvm::Type* element = next->getSourceElementType();
  const std::uint64_t size = layout.getTypeAllocSize(element).getFixedValue();
  const std::int64_t elements =
      size == 0 ? 0 : step.getSExtValue() / static_cast<std::int64_t>(size);
  if (next->getNumIndices() != 1 || elements == 0) return false;
  std::int64_t first = 0;
  std::int64_t index_step = elements;
  llvm::Type* stride = element;
  if (elements > 1) {  // rows of a matrix: their number is an index of its own
    stride = llvm::ArrayType::get(element, static_cast<std::uint64_t>(elements));
    index_step = 1;
  }
  if (elements < 0) start = start_of_array(start, element, first);
  auto* index = llvm::PHINode::Create(type, 2, "index", phi.getIterator());
  llvm::IRBuilder<> at_next(next);
  llvm::Value* moved =
      at_next.CreateAdd(index, at_next.getInt64(static_cast<std::uint64_t>(index_step)));
  llvm::IRBuilder<> at_head(&*phi.getParent()->getFirstInsertionPt());
  llvm::Value* pointer = at_head.CreateGEP(stride, start, index);
  llvm::Value* pointer_next = at_next.CreateGEP(stride, start, moved);
  for (unsigned i = 0; i < 2; ++i) {
    const bool is_next = phi.getIncomingValue(i) == next;
    index->addIncoming(is_next ? moved : at_head.getInt64(static_cast<std::uint64_t>(first)),
                       phi.getIncomingBlock(i));
  }
  next->replaceAllUsesWith(pointer_next);
  phi.replaceAllUsesWith(pointer);
  next->eraseFromParent();
  phi.eraseFromParent();
  return true;
}

/// The pointer and the index of a single step; the index is null where there is none.
std::pair<llvm::Value*, llvm::Value*> step_of(llvm::Value* pointer, llvm::Type* element,
                                              const llvm::DataLayout& layout) {
  auto* step = dyn_cast<llvm::GEPOperator>(pointer);
  if (!step || step->getNumIndices() != 1) return {pointer, nullptr};
  if (step->getSourceElementType() == element) {
    return {step->getPointerOperand(), *step->idx_begin()};
  }
  // LLVM writes a constant's step in bytes.
  llvm::APInt bytes(64, 0);
  const std::uint64_t size = layout.getTypeAllocSize(element).getFixedValue();
  if (size == 0 || !step->accumulateConstantOffset(layout, bytes) ||
      bytes.srem(static_cast<std::int64_t>(size)) != 0) {
    return {pointer, nullptr};
  }
  return {step->getPointerOperand(),
          llvm::ConstantInt::get(llvm::Type::getInt64Ty(pointer->getContext()),
                                 bytes.sdiv(static_cast<std::int64_t>(size)))};
}

/// Undoes what the rotation of a loop makes of an element's address, a pointer of its own:
///
/// before  %p = phi ptr [%a, ...], [%n, ...]        after  %i = phi i64 [0, ...], [%j, ...]
///         %i = phi i64 [0, ...], [%j, ...]                %p = getelementptr i8, ptr %a, %i
///         %n = getelementptr i8, ptr %a, %j
bool follow_index(llvm::PHINode& phi) {
  if (!phi.getType()->isPointerTy() || phi.getNumIncomingValues() != 2) return false;
  const llvm::DataLayout& layout = phi.getModule()->getDataLayout();
  for (unsigned i = 0; i < 2; ++i) {
    const auto* next = dyn_cast<llvm::GetElementPtrInst>(phi.getIncomingValue(i));
    if (!next || next->getNumIndices() != 1) continue;
    llvm::Type* element = next->getSourceElementType();
    const auto [base, moved] = step_of(phi.getIncomingValue(i), element, layout);
    llvm::Value* entry = phi.getIncomingValue(1 - i);
    // A walk's index counts from the array, or from the place where the walk starts.
    const bool is_from_start = entry == base;
    const auto [start, first] = step_of(entry, element, layout);
    if (!is_from_start && start != base) continue;
    for (llvm::PHINode& index : phi.getParent()->phis()) {
      if (index.getIncomingValueForBlock(phi.getIncomingBlock(i)) != moved) continue;
      const llvm::Value* begin = index.getIncomingValueForBlock(phi.getIncomingBlock(1 - i));
      const auto* number = dyn_cast<llvm::ConstantInt>(begin);
      if (is_from_start || !first ? !number || !number->isZero() : begin != first) continue;
      llvm::IRBuilder<> builder(&*phi.getParent()->getFirstInsertionPt());
      phi.replaceAllUsesWith(builder.CreateGEP(element, base, &index));
      phi.eraseFromParent();
      return true;
    }
  }
  return false;
}

}  // namespace

llvm::PreservedAnalyses IndexPointers::run(llvm::Function& function,
                                           llvm::FunctionAnalysisManager& analyses) {
  const auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  std::vector<llvm::PHINode*> phis;
  for (llvm::BasicBlock& block : function) {
    for (llvm::PHINode& phi : block.phis()) phis.push_back(&phi);
  }
  std::reverse(phis.begin(),
               phis.end());  // inner loops first: their ends are known from outer ones
  bool changed = false;
  for (llvm::PHINode* phi : phis) {
    llvm::Value* start = nullptr;
    llvm::GetElementPtrInst* next = nullptr;
    if (walks(*phi, start, next)) {
      changed = (dominators.dominates(start, phi) && index_one(*phi, start, next)) || changed;
    } else {
      changed = follow_index(*phi) || changed;
    }
  }
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace systole::compiler
