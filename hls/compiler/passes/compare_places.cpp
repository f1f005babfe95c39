#include "hls/compiler/passes/compare_places.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <optional>

#include "hls/compiler/analyses/location.h"

namespace systole::compiler {
namespace {

using llvm::dyn_cast;

constexpr unsigned kBits = Location::kBits;

using Indices = llvm::SmallVector<llvm::Value*, 2>;

/// How far the first pointer is behind the second: `scale * (first + constant - second)` bytes,
/// with sums of indices, which may be empty.
struct Distance {
  Indices first;
  Indices second;
  std::int64_t constant = 0;
  std::int64_t scale = 1;
};

std::optional<Distance> distance_of(llvm::Value* a, llvm::Value* b,
                                    const llvm::DataLayout& layout) {
  const Location first = location_of(a, layout);
  const Location second = location_of(b, layout);
  if (first.base != second.base) return std::nullopt;
  llvm::MapVector<llvm::Value*, llvm::APInt> indices = first.indices;
  for (const auto& [index, scale] : second.indices) {
    indices.insert({index, llvm::APInt(kBits, 0)}).first->second -= scale;
  }
  llvm::APInt moved(kBits, 0);
  for (auto& [index, scale] : indices) {
    // The next row's start beside an element of this one: what both have in common falls away.
    auto* sum = dyn_cast<llvm::BinaryOperator>(index);
    if (!sum || sum->getOpcode() != llvm::Instruction::Add) continue;
    const auto* step = dyn_cast<llvm::ConstantInt>(sum->getOperand(1));
    const auto same = step ? indices.find(sum->getOperand(0)) : indices.end();
    if (same == indices.end() || same->second != -scale) continue;
    moved += scale * step->getValue();
    same->second = scale = llvm::APInt(kBits, 0);
  }
  Distance distance;
  for (const auto& [index, scale] : indices) {
    if (scale.isZero()) continue;
    const std::int64_t size = scale.abs().getSExtValue();
    const bool is_only = distance.first.empty() && distance.second.empty();
    if (!index->getType()->isIntegerTy(kBits) || (!is_only && size != distance.scale)) {
      return std::nullopt;
    }
    (scale.isNegative() ? distance.second : distance.first).push_back(index);
    distance.scale = size;
  }
  const std::int64_t bytes = (first.bytes - second.bytes + moved).getSExtValue();
  if (bytes % distance.scale != 0) return std::nullopt;
  distance.constant = bytes / distance.scale;
  return distance;
}

/// Null for none.
llvm::Value* sum_of(llvm::IRBuilder<>& builder, const Indices& indices) {
  llvm::Value* sum = nullptr;
  for (llvm::Value* index : indices) sum = sum ? builder.CreateAdd(sum, index) : index;
  return sum;
}

llvm::Value* compare(llvm::IRBuilder<>& builder, llvm::ICmpInst& test, const Distance& distance) {
  // No array is so large that the difference of two indices overflows. Of two that move towards
  // each other, as in std::reverse, it is what can be counted.
  const auto number = [&](std::int64_t value) {
    return builder.getInt64(static_cast<std::uint64_t>(value));
  };
  llvm::Value* first = sum_of(builder, distance.first);
  llvm::Value* second = sum_of(builder, distance.second);
  llvm::Value* left = number(distance.constant);
  llvm::Value* right = second ? second : number(0);
  if (first) {
    left = second ? builder.CreateSub(first, second) : first;
    right = number(-distance.constant);
  }
  return builder.CreateICmp(test.getSignedPredicate(), left, right);
}

llvm::Value* subtract(llvm::IRBuilder<>& builder, const Distance& distance) {
  llvm::Value* elements = builder.getInt64(static_cast<std::uint64_t>(distance.constant));
  if (llvm::Value* first = sum_of(builder, distance.first)) {
    elements = builder.CreateAdd(first, elements);
  }
  if (llvm::Value* second = sum_of(builder, distance.second)) {
    elements = builder.CreateSub(elements, second);
  }
  return builder.CreateMul(elements, builder.getInt64(static_cast<std::uint64_t>(distance.scale)));
}

/// The pointer behind a number, or null.
llvm::Value* pointer_of(llvm::Value* number) {
  auto* cast = dyn_cast<llvm::PtrToIntOperator>(number);
  return cast && cast->getType()->isIntegerTy(kBits) ? cast->getPointerOperand() : nullptr;
}

llvm::Value* in_indices(llvm::Instruction& instruction, const llvm::DataLayout& layout) {
  auto* test = dyn_cast<llvm::ICmpInst>(&instruction);
  const bool subtracts = instruction.getOpcode() == llvm::Instruction::Sub;
  if (!test && !subtracts) return nullptr;
  llvm::Value* a = instruction.getOperand(0);
  llvm::Value* b = instruction.getOperand(1);
  if (!a->getType()->isPointerTy()) {
    a = pointer_of(a);
    b = pointer_of(b);
  }
  const auto distance = a && b ? distance_of(a, b, layout) : std::nullopt;
  if (!distance) return nullptr;
  llvm::IRBuilder<> builder(&instruction);
  return test ? compare(builder, *test, *distance) : subtract(builder, *distance);
}

}  // namespace

llvm::PreservedAnalyses ComparePlaces::run(llvm::Function& function,
                                           llvm::FunctionAnalysisManager&) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    llvm::Value* value = in_indices(instruction, layout);
    if (!value) continue;
    if (!llvm::isa<llvm::Constant>(value)) value->takeName(&instruction);
    instruction.replaceAllUsesWith(value);
    instruction.eraseFromParent();
    changed = true;
  }
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace systole::compiler
