#include "hls/compiler/passes/plain_combine.h"

#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <utility>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/passes/plain_comparison.h"
#include "hls/compiler/passes/same_field.h"

namespace systole::compiler {
namespace {

using llvm::APInt;
using llvm::CmpInst;
using llvm::dyn_cast;
using llvm::Instruction;
using llvm::Value;
using namespace llvm::PatternMatch;  // NOLINT: its matchers read as words

bool is_constant(const Value& value) { return llvm::isa<llvm::ConstantInt>(value); }

/// The rules for one instruction: each returns its replacement, or null.
class Rules {
 public:
  Rules(Instruction& instruction, const llvm::DataLayout& layout)
      : at_(instruction), layout_(layout), builder_(&instruction) {}

  Value* apply() {
    if (carries_nothing()) return llvm::ConstantInt::get(at_.getType(), 0);
    switch (at_.getOpcode()) {
      case Instruction::Trunc:
        return trunc();
      case Instruction::ZExt:
      case Instruction::SExt:
        return extension();
      case Instruction::ICmp:
        return plain_comparison(llvm::cast<llvm::ICmpInst>(at_), builder_);
      case Instruction::Select:
        return select();
      case Instruction::Add:
      case Instruction::Or:
      case Instruction::Xor:
        return disjoint_sum();
      case Instruction::And:
        return same_field(at_, builder_);
      case Instruction::Mul:
      case Instruction::UDiv:
      case Instruction::URem:
      case Instruction::SDiv:
      case Instruction::SRem:
        return by_power_of_two();
      case Instruction::LShr:
      case Instruction::Shl:
        return shift();
      case Instruction::AShr:
        return llvm::isKnownNonNegative(at_.getOperand(0), llvm::SimplifyQuery(layout_))
                   ? builder_.CreateLShr(at_.getOperand(0), at_.getOperand(1))
                   : nullptr;
      default:
        return nullptr;
    }
  }

 private:
  // ---- Widths ----

  /// Whether wires pick none but zeros: `slice<5, 3>(x << 20)`.
  bool carries_nothing() const {
    const bool drops = at_.getOpcode() == Instruction::Trunc ||
                       at_.getOpcode() == Instruction::LShr || at_.getOpcode() == Instruction::And;
    return drops && is_wiring(at_) && possible_ones(at_, layout_).isZero();
  }

  Value* trunc() {
    Value* value = nullptr;
    Value *yes = nullptr, *no = nullptr, *condition = nullptr;
    llvm::Type* type = at_.getType();
    Value* operand = at_.getOperand(0);
    if (match(operand, m_Trunc(m_Value(value)))) return builder_.CreateTrunc(value, type);
    if (match(operand, m_ZExt(m_Value(value)))) return builder_.CreateZExtOrTrunc(value, type);
    if (match(operand, m_SExt(m_Value(value)))) return builder_.CreateSExtOrTrunc(value, type);
    if (match(operand, m_Select(m_Value(condition), m_Value(yes), m_Value(no))) &&
        (is_constant(*yes) || is_constant(*no)) &&
        (operand->hasOneUse() || (is_constant(*yes) && is_constant(*no)))) {
      return builder_.CreateSelect(condition, builder_.CreateTrunc(yes, type),
                                   builder_.CreateTrunc(no, type));
    }
    return same_field(at_, builder_);
  }

  Value* extension() {
    Value* value = nullptr;
    Value* operand = at_.getOperand(0);
    const bool is_signed = at_.getOpcode() == Instruction::SExt;
    if (match(operand, m_ZExt(m_Value(value)))) return builder_.CreateZExt(value, at_.getType());
    if (is_signed && match(operand, m_SExt(m_Value(value)))) {
      return builder_.CreateSExt(value, at_.getType());
    }
    if (is_signed && llvm::isKnownNonNegative(operand, llvm::SimplifyQuery(layout_))) {
      return builder_.CreateZExt(operand, at_.getType());
    }
    Value* condition = nullptr;
    const APInt *yes = nullptr, *no = nullptr;
    if (match(operand, m_Select(m_Value(condition), m_APInt(yes), m_APInt(no))) &&
        width_of(*operand) > 1) {
      const unsigned width = width_of(at_);
      const auto extend = [&](const APInt& bits) {
        return llvm::ConstantInt::get(at_.getType(),
                                      is_signed ? bits.sext(width) : bits.zext(width));
      };
      return builder_.CreateSelect(condition, extend(*yes), extend(*no));
    }
    return is_signed ? nullptr : same_field(at_, builder_);
  }

  // ---- Arithmetic ----

  /// A sum of values that never share a one bit is wires.
  Value* disjoint_sum() {
    Value *left = at_.getOperand(0), *right = at_.getOperand(1);
    if (at_.getOpcode() == Instruction::Xor) {
      CmpInst::Predicate predicate = CmpInst::ICMP_EQ;
      Value *a = nullptr, *b = nullptr;
      if (match(&at_, m_Not(m_ICmp(predicate, m_Value(a), m_Value(b)))) &&
          (left->hasOneUse() || (CmpInst::isEquality(predicate) && is_constant(*b)))) {
        return builder_.CreateICmp(CmpInst::getInversePredicate(predicate), a, b);
      }
      return nullptr;
    }
    if (Value* found = covering_equality()) return found;
    if (is_disjoint_or(at_)) return same_field(at_, builder_);
    if (width_of(at_) == 1 ||
        possible_ones(*left, layout_).intersects(possible_ones(*right, layout_))) {
      return nullptr;
    }
    return llvm::BinaryOperator::CreateDisjointOr(left, right, "", at_.getIterator());
  }

  Value* by_power_of_two() {
    const APInt* factor = nullptr;
    Value* value = at_.getOperand(0);
    Value* by = at_.getOperand(1);
    if (at_.getOpcode() == Instruction::Mul && is_constant(*value)) std::swap(value, by);
    if (!match(by, m_APInt(factor)) || !factor->isPowerOf2()) return nullptr;
    const bool is_signed =
        at_.getOpcode() == Instruction::SDiv || at_.getOpcode() == Instruction::SRem;
    if (is_signed && !llvm::isKnownNonNegative(value, llvm::SimplifyQuery(layout_))) return nullptr;
    switch (at_.getOpcode()) {
      case Instruction::Mul:
        return builder_.CreateShl(value, factor->logBase2());
      case Instruction::UDiv:
      case Instruction::SDiv:
        return builder_.CreateLShr(value, factor->logBase2());
      default:
        return builder_.CreateAnd(value, *factor - 1);
    }
  }

  Value* shift() {
    unsigned amount = 0, inner = 0;
    if (!constant_shift(at_, amount)) return nullptr;
    const auto* before = dyn_cast<Instruction>(at_.getOperand(0));
    if (before && before->getOpcode() == at_.getOpcode() && constant_shift(*before, inner) &&
        amount + inner < width_of(at_)) {
      return builder_.CreateBinOp(llvm::cast<llvm::BinaryOperator>(at_).getOpcode(),
                                  before->getOperand(0),
                                  llvm::ConstantInt::get(at_.getType(), amount + inner));
    }
    return same_field(at_, builder_);
  }

  // ---- Choices ----

  Value* select() {
    auto& choice = llvm::cast<llvm::SelectInst>(at_);
    Value *condition = choice.getCondition(), *yes = choice.getTrueValue(),
          *no = choice.getFalseValue();
    if (!choice.getType()->isIntegerTy()) return nullptr;
    // What has no value, as an empty std::optional, has any. LLVM keeps the choice where the other
    // value may be poison, which nothing is in hardware.
    if (llvm::isa<llvm::UndefValue>(yes)) return no;
    if (llvm::isa<llvm::UndefValue>(no)) return yes;
    Value* turned = nullptr;
    if (match(condition, m_Not(m_Value(turned))) && !choice.getType()->isIntegerTy(1)) {
      return builder_.CreateSelect(turned, no, yes);
    }
    if (Value* found = bit_as_number(choice)) return found;
    Value *inner = nullptr, *a = nullptr, *b = nullptr;
    if (match(yes, m_Select(m_Specific(condition), m_Value(a), m_Value()))) {
      return builder_.CreateSelect(condition, a, no);
    }
    if (match(no, m_Select(m_Specific(condition), m_Value(), m_Value(b)))) {
      return builder_.CreateSelect(condition, yes, b);
    }
    if (choice.getType()->isIntegerTy(1)) return alternatives(condition, yes, no);
    // `if (a && b) x = y;`
    if (match(yes, m_OneUse(m_Select(m_Value(inner), m_Value(a), m_Specific(no))))) {
      return builder_.CreateSelect(builder_.CreateLogicalAnd(condition, inner), a, no);
    }
    if (match(no, m_OneUse(m_Select(m_Value(inner), m_Specific(yes), m_Value(b))))) {
      return builder_.CreateSelect(builder_.CreateLogicalOr(condition, inner), yes, b);
    }
    if (match(yes, m_OneUse(m_Select(m_Value(inner), m_Specific(no), m_Value(b))))) {
      return builder_.CreateSelect(builder_.CreateLogicalAnd(condition, builder_.CreateNot(inner)),
                                   b, no);
    }
    return nullptr;
  }

  /// `(a && b) || c`, which clang's branches turn into `a ? b || c : c`.
  Value* alternatives(Value* condition, Value* yes, Value* no) {
    if (Value* found = covering_equality()) return found;
    Value* inner = nullptr;
    if (match(yes, m_OneUse(m_LogicalOr(m_Value(inner), m_Specific(no))))) {
      return builder_.CreateLogicalOr(builder_.CreateLogicalAnd(condition, inner), no);
    }
    if (match(yes, m_OneUse(m_LogicalAnd(m_Value(inner), m_Specific(no))))) {
      return builder_.CreateLogicalAnd(
          builder_.CreateLogicalOr(builder_.CreateNot(condition), inner), no);
    }
    return nullptr;
  }

  /// `a == b || a >= b`, which a three-way comparison leaves.
  Value* covering_equality() {
    CmpInst::Predicate equal = CmpInst::ICMP_NE, other = CmpInst::ICMP_NE;
    Value *a = nullptr, *b = nullptr;
    if (!match(&at_, m_LogicalOr(m_ICmp(equal, m_Value(a), m_Value(b)),
                                 m_ICmp(other, m_Deferred(a), m_Deferred(b)))) ||
        equal != CmpInst::ICMP_EQ || !CmpInst::isNonStrictPredicate(other)) {
      return nullptr;
    }
    return at_.getOperand(at_.getNumOperands() - 1);
  }

  /// `c ? 1 : 0` is c, `c ? -1 : 0` its sign.
  Value* bit_as_number(llvm::SelectInst& choice) {
    if (choice.getType()->isIntegerTy(1)) {
      if (match(choice.getTrueValue(), m_Zero()) && match(choice.getFalseValue(), m_One())) {
        return builder_.CreateNot(choice.getCondition());
      }
      return nullptr;
    }
    if (match(choice.getFalseValue(), m_Zero())) {
      if (match(choice.getTrueValue(), m_One())) {
        return builder_.CreateZExt(choice.getCondition(), choice.getType());
      }
      if (match(choice.getTrueValue(), m_AllOnes())) {
        return builder_.CreateSExt(choice.getCondition(), choice.getType());
      }
    }
    if (match(choice.getTrueValue(), m_Zero()) && match(choice.getFalseValue(), m_One())) {
      return builder_.CreateZExt(builder_.CreateNot(choice.getCondition()), choice.getType());
    }
    return nullptr;
  }

  Instruction& at_;
  const llvm::DataLayout& layout_;
  llvm::IRBuilder<> builder_;
};

/// One pass over a function; whether anything changed.
bool combine_once(llvm::Function& function) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  bool changed = false;
  for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (llvm::isInstructionTriviallyDead(&instruction)) {
      llvm::salvageDebugInfo(instruction);
      instruction.eraseFromParent();
      changed = true;
      continue;
    }
    if (!instruction.getType()->isIntegerTy()) continue;
    Value* value =
        llvm::simplifyInstruction(&instruction, llvm::SimplifyQuery(layout, &instruction));
    if (!value || value == &instruction) value = Rules(instruction, layout).apply();
    if (!value || value == &instruction) continue;
    if (auto* made = dyn_cast<Instruction>(value)) {
      if (!made->getDebugLoc()) made->setDebugLoc(instruction.getDebugLoc());
      if (!made->hasName()) made->takeName(&instruction);
    }
    instruction.replaceAllUsesWith(value);
    instruction.eraseFromParent();
    changed = true;
  }
  return changed;
}

}  // namespace

llvm::PreservedAnalyses PlainCombine::run(llvm::Function& function,
                                          llvm::FunctionAnalysisManager&) {
  bool changed = false;
  constexpr int kMostRounds = 20;
  for (int round = 0; round < kMostRounds && combine_once(function); ++round) changed = true;
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace systole::compiler
