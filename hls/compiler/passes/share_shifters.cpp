#include "hls/compiler/passes/share_shifters.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
#include <vector>

#include "hls/compiler/analyses/wiring.h"

namespace systole::compiler {
namespace {

using namespace llvm::PatternMatch;  // NOLINT: its matchers read as words
using llvm::Value;

/// Whether two conditions are comparisons of one value with different constants.
bool exclude_each_other(const Value& one, const Value& other) {
  using llvm::CmpInst;
  CmpInst::Predicate first{}, second{};
  const Value* compared = nullptr;
  const llvm::APInt *a = nullptr, *b = nullptr;
  return match(&one, m_ICmp(first, m_Value(compared), m_APInt(a))) &&
         match(&other, m_ICmp(second, m_Specific(compared), m_APInt(b))) &&
         first == CmpInst::ICMP_EQ && second == CmpInst::ICMP_EQ && *a != *b;
}

/// Whether what is used here matters only where the choice does not take its first value.
bool matters_without(const llvm::Use& use, const llvm::SelectInst& choice) {
  auto* user = llvm::cast<llvm::Instruction>(use.getUser());
  if (user == &choice) return use.getOperandNo() == 2;
  if (const auto* other = llvm::dyn_cast<llvm::SelectInst>(user)) {
    const Value& condition = *other->getCondition();
    if (use.getOperandNo() == 2 && &condition == choice.getCondition()) return true;
    if (use.getOperandNo() == 1 && exclude_each_other(condition, *choice.getCondition())) {
      return true;
    }
  }
  return !llvm::isa<llvm::PHINode>(user) && !user->mayHaveSideEffects() && user->hasOneUse() &&
         matters_without(*user->use_begin(), choice);
}

/// Whether the value is known before the place; a comparison is moved there if its operands are.
bool bring_before(Value& value, llvm::Instruction& place) {
  const auto known = [&](const Value* one) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(one);
    return !instruction ||
           (instruction->getParent() == place.getParent() && instruction->comesBefore(&place));
  };
  if (known(&value)) return true;
  auto* test = llvm::dyn_cast<llvm::ICmpInst>(&value);
  if (!test || test->getParent() != place.getParent() ||
      !std::all_of(test->op_begin(), test->op_end(),
                   [&](const llvm::Use& operand) { return known(operand.get()); })) {
    return false;
  }
  test->moveBefore(&place);
  return true;
}

/// The logical shift of the same, in the same block, or null.
llvm::BinaryOperator* logical_twin(const llvm::BinaryOperator& arithmetic) {
  for (llvm::Instruction& one : *const_cast<llvm::BasicBlock*>(arithmetic.getParent())) {
    if (one.getOpcode() == llvm::Instruction::LShr &&
        one.getOperand(0) == arithmetic.getOperand(0) &&
        one.getOperand(1) == arithmetic.getOperand(1)) {
      return llvm::cast<llvm::BinaryOperator>(&one);
    }
  }
  return nullptr;
}

void share(llvm::BinaryOperator& arithmetic) {
  if (llvm::isa<llvm::Constant>(arithmetic.getOperand(1)) || !arithmetic.hasOneUse()) return;
  auto* choice = llvm::dyn_cast<llvm::SelectInst>(*arithmetic.user_begin());
  if (!choice || choice->getTrueValue() != &arithmetic) return;
  llvm::BinaryOperator* logical = logical_twin(arithmetic);
  if (!logical || !std::all_of(logical->use_begin(), logical->use_end(), [&](const llvm::Use& use) {
        return matters_without(use, *choice);
      })) {
    return;
  }
  llvm::Instruction& first = logical->comesBefore(&arithmetic) ? *logical : arithmetic;
  if (!bring_before(*choice->getCondition(), first)) return;

  llvm::IRBuilder<> builder(&first);
  Value* x = arithmetic.getOperand(0);
  const unsigned width = width_of(*x);
  llvm::Type* wide = builder.getIntNTy(width + 1);
  Value* sign = builder.CreateTrunc(builder.CreateLShr(x, width - 1), builder.getInt1Ty());
  Value* top = builder.CreateAnd(choice->getCondition(), sign);
  Value* extended = builder.CreateOr(builder.CreateShl(builder.CreateZExt(top, wide), width),
                                     builder.CreateZExt(x, wide));
  llvm::cast<llvm::PossiblyDisjointInst>(extended)->setIsDisjoint(true);
  Value* shifted = builder.CreateAShr(extended, builder.CreateZExt(arithmetic.getOperand(1), wide));
  Value* both = builder.CreateTrunc(shifted, x->getType());
  both->takeName(logical);
  logical->replaceAllUsesWith(both);
  logical->eraseFromParent();
  arithmetic.replaceAllUsesWith(both);
  arithmetic.eraseFromParent();
  if (choice->getFalseValue() == both) {
    choice->replaceAllUsesWith(both);
    choice->eraseFromParent();
  }
}

}  // namespace

void share_shifters(llvm::Function& function) {
  std::vector<llvm::BinaryOperator*> shifts;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (instruction.getOpcode() == llvm::Instruction::AShr) {
      shifts.push_back(llvm::cast<llvm::BinaryOperator>(&instruction));
    }
  }
  for (llvm::BinaryOperator* shift : shifts) share(*shift);
}

}  // namespace systole::compiler
