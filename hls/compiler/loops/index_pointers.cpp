#include "hls/compiler/loops/index_pointers.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
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

/// Bytes from `base`, as a constant and perhaps an index of bytes.
struct Offset {
  llvm::Value* base = nullptr;
  llvm::Value* index = nullptr;
  std::int64_t constant = 0;
};

/// A pointer before the joins of one way at the ends of loops.
llvm::Value* before_joins(llvm::Value* pointer) {
  auto* join = dyn_cast<llvm::PHINode>(pointer);
  return join && join->getNumIncomingValues() == 1 ? before_joins(join->getIncomingValue(0))
                                                   : pointer;
}

Offset offset_of(llvm::Value* pointer, const llvm::DataLayout& layout) {
  Offset offset;
  pointer = before_joins(pointer);
  while (auto* step = dyn_cast<llvm::GEPOperator>(pointer)) {
    llvm::APInt bytes(64, 0);
    if (step->accumulateConstantOffset(layout, bytes)) {
      offset.constant += bytes.getSExtValue();
    } else if (!offset.index && step->getNumIndices() == 1 &&
               step->getSourceElementType()->isIntegerTy(8)) {
      offset.index = *step->idx_begin();
    } else {
      break;
    }
    pointer = before_joins(step->getPointerOperand());
  }
  offset.base = pointer;
  return offset;
}

void index_one(llvm::PHINode& phi, llvm::Value* start, llvm::GetElementPtrInst* next) {
  const llvm::DataLayout& layout = phi.getModule()->getDataLayout();
  llvm::APInt step(64, 0);
  next->accumulateConstantOffset(layout, step);
  llvm::Type* type = llvm::Type::getInt64Ty(phi.getContext());
  llvm::Type* element = next->getSourceElementType();
  const std::uint64_t size = layout.getTypeAllocSize(element).getFixedValue();
  const std::int64_t elements =
      size == 0 ? 0 : step.getSExtValue() / static_cast<std::int64_t>(size);
  if (next->getNumIndices() != 1 || elements == 0) return;
  auto* index = llvm::PHINode::Create(type, 2, "index", phi.getIterator());
  llvm::IRBuilder<> at_next(next);
  llvm::Value* moved =
      at_next.CreateAdd(index, at_next.getInt64(static_cast<std::uint64_t>(elements)));
  llvm::IRBuilder<> at_head(&*phi.getParent()->getFirstInsertionPt());
  llvm::Value* pointer = at_head.CreateGEP(element, start, index);
  llvm::Value* pointer_next = at_next.CreateGEP(element, start, moved);
  for (unsigned i = 0; i < 2; ++i) {
    const bool is_start = phi.getIncomingValue(i) == start;
    index->addIncoming(is_start ? at_head.getInt64(0) : moved, phi.getIncomingBlock(i));
  }
  // Tests against the array's end.
  for (llvm::User* user : llvm::make_early_inc_range(next->users())) {
    auto* test = dyn_cast<llvm::ICmpInst>(user);
    if (!test || !test->isEquality()) continue;
    llvm::Value* other = test->getOperand(test->getOperand(0) == next ? 1 : 0);
    const Offset end = offset_of(other, layout);
    const Offset begin = offset_of(start, layout);
    const std::int64_t bytes = end.constant - begin.constant;
    if (end.base != begin.base || end.index != begin.index ||
        bytes % static_cast<std::int64_t>(size) != 0) {
      continue;
    }
    llvm::IRBuilder<> builder(test);
    test->replaceAllUsesWith(builder.CreateICmp(
        test->getPredicate(), moved,
        builder.getInt64(static_cast<std::uint64_t>(bytes / static_cast<std::int64_t>(size)))));
    test->eraseFromParent();
  }
  next->replaceAllUsesWith(pointer_next);
  phi.replaceAllUsesWith(pointer);
  next->eraseFromParent();
  phi.eraseFromParent();
}

}  // namespace

void index_pointers(llvm::Function& function) {
  std::vector<llvm::PHINode*> phis;
  for (llvm::BasicBlock& block : function) {
    for (llvm::PHINode& phi : block.phis()) phis.push_back(&phi);
  }
  std::reverse(phis.begin(),
               phis.end());  // inner loops first: their ends are known from outer ones
  for (llvm::PHINode* phi : phis) {
    llvm::Value* start = nullptr;
    llvm::GetElementPtrInst* next = nullptr;
    if (walks(*phi, start, next)) index_one(*phi, start, next);
  }
}

}  // namespace systole::compiler
