#include "hls/compiler/passes/plain_comparison.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>

#include "hls/compiler/analyses/wiring.h"

namespace systole::compiler {
namespace {

using llvm::APInt;
using llvm::CmpInst;
using llvm::Value;
using namespace llvm::PatternMatch;  // NOLINT: its matchers read as words

bool is_constant(const Value& value) { return llvm::isa<llvm::ConstantInt>(value); }

/// (a <=> b) < 0
Value* three_way(CmpInst::Predicate predicate, Value* left, Value* right,
                 llvm::IRBuilder<>& builder) {
  if (!match(right, m_Zero())) return nullptr;
  CmpInst::Predicate equal = CmpInst::ICMP_EQ, below = CmpInst::ICMP_EQ;
  Value *a = nullptr, *b = nullptr;
  if (!match(left, m_Select(m_ICmp(equal, m_Value(a), m_Value(b)), m_Zero(),
                            m_Select(m_ICmp(below, m_Deferred(a), m_Deferred(b)), m_AllOnes(),
                                     m_One()))) ||
      equal != CmpInst::ICMP_EQ || (below != CmpInst::ICMP_ULT && below != CmpInst::ICMP_SLT)) {
    return nullptr;
  }
  if (!CmpInst::isEquality(predicate)) {
    predicate = below == CmpInst::ICMP_ULT ? llvm::ICmpInst::getUnsignedPredicate(predicate)
                                           : llvm::ICmpInst::getSignedPredicate(predicate);
  }
  return builder.CreateICmp(predicate, a, b);
}

/// A comparison of a select between constants is the select's condition.
Value* chosen_constants(CmpInst::Predicate predicate, Value* left, Value* right,
                        llvm::IRBuilder<>& builder) {
  Value *condition = nullptr, *no = nullptr, *yes = nullptr;
  if (!is_constant(*right) ||
      !match(left, m_Select(m_Value(condition), m_Value(yes), m_Value(no)))) {
    return nullptr;
  }
  const bool both = is_constant(*yes) && is_constant(*no);
  if (!both && !(left->hasOneUse() && (is_constant(*yes) || is_constant(*no)))) return nullptr;
  Value* first = builder.CreateICmp(predicate, yes, right);
  Value* second = builder.CreateICmp(predicate, no, right);
  return builder.CreateSelect(condition, first, second);
}

/// Strips the extensions of both sides.
Value* narrower(CmpInst::Predicate predicate, Value* left, Value* right,
                llvm::IRBuilder<>& builder) {
  Value *a = nullptr, *b = nullptr;
  const APInt* constant = nullptr;
  if (match(right, m_APInt(constant))) {
    if (match(left, m_ZExt(m_Value(a))) && constant->getActiveBits() <= width_of(*a)) {
      if (CmpInst::isSigned(predicate)) predicate = CmpInst::getUnsignedPredicate(predicate);
      return builder.CreateICmp(
          predicate, a, llvm::ConstantInt::get(a->getType(), constant->trunc(width_of(*a))));
    }
    if (match(left, m_SExt(m_Value(a))) && constant->getSignificantBits() <= width_of(*a) &&
        !CmpInst::isUnsigned(predicate)) {
      return builder.CreateICmp(
          predicate, a, llvm::ConstantInt::get(a->getType(), constant->trunc(width_of(*a))));
    }
    return nullptr;
  }
  const bool left_zero = match(left, m_ZExt(m_Value(a)));
  const bool right_zero = match(right, m_ZExt(m_Value(b)));
  if (left_zero && right_zero) {
    if (CmpInst::isSigned(predicate)) predicate = CmpInst::getUnsignedPredicate(predicate);
    llvm::Type* type = builder.getIntNTy(std::max(width_of(*a), width_of(*b)));
    return builder.CreateICmp(predicate, builder.CreateZExt(a, type), builder.CreateZExt(b, type));
  }
  const bool left_sign = match(left, m_SExt(m_Value(a)));
  const bool right_sign = match(right, m_SExt(m_Value(b)));
  if (!(left_zero || left_sign) || !(right_zero || right_sign)) return nullptr;
  if (CmpInst::isUnsigned(predicate)) {
    // A negative number is above all that the other side may be, extended or not.
    Value* number = left_sign ? a : b;
    if (left_sign == right_sign || width_of(*number) <= width_of(left_sign ? *b : *a))
      return nullptr;
    llvm::Type* type = number->getType();
    return builder.CreateICmp(predicate, left_sign ? a : builder.CreateZExt(a, type),
                              left_sign ? builder.CreateZExt(b, type) : b);
  }
  const unsigned width =
      std::max(width_of(*a) + (left_zero ? 1 : 0), width_of(*b) + (right_zero ? 1 : 0));
  if (width >= width_of(*left)) return nullptr;
  llvm::Type* type = builder.getIntNTy(width);
  return builder.CreateICmp(predicate,
                            left_zero ? builder.CreateZExt(a, type) : builder.CreateSExt(a, type),
                            right_zero ? builder.CreateZExt(b, type) : builder.CreateSExt(b, type));
}

/// `x >= 1` and `x > 0` mean that x is not zero.
Value* against_zero(CmpInst::Predicate predicate, Value* left, Value* right,
                    llvm::IRBuilder<>& builder) {
  const APInt* constant = nullptr;
  if (!match(right, m_APInt(constant))) return nullptr;
  Value* zero = llvm::ConstantInt::get(left->getType(), 0);
  if ((predicate == CmpInst::ICMP_UGE && constant->isOne()) ||
      (predicate == CmpInst::ICMP_UGT && constant->isZero())) {
    return builder.CreateICmpNE(left, zero);
  }
  if ((predicate == CmpInst::ICMP_ULT && constant->isOne()) ||
      (predicate == CmpInst::ICMP_ULE && constant->isZero())) {
    return builder.CreateICmpEQ(left, zero);
  }
  return nullptr;
}

}  // namespace

Value* plain_comparison(llvm::ICmpInst& test, llvm::IRBuilder<>& builder) {
  Value *left = test.getOperand(0), *right = test.getOperand(1);
  if (!left->getType()->isIntegerTy()) return nullptr;
  CmpInst::Predicate predicate = test.getPredicate();
  if (is_constant(*left) && !is_constant(*right)) {
    return builder.CreateICmp(CmpInst::getSwappedPredicate(predicate), right, left);
  }
  if (width_of(*left) == 1 && test.isEquality()) {
    const APInt* bit = nullptr;
    if (!match(right, m_APInt(bit))) return nullptr;
    return (predicate == CmpInst::ICMP_EQ) == bit->isOne() ? left : builder.CreateNot(left);
  }
  Value* inner = nullptr;
  const APInt* constant = nullptr;
  if (test.isEquality() && match(left, m_Not(m_Value(inner))) && match(right, m_APInt(constant))) {
    return builder.CreateICmp(predicate, inner,
                              llvm::ConstantInt::get(inner->getType(), ~*constant));
  }
  if (Value* found = three_way(predicate, left, right, builder)) return found;
  if (Value* found = chosen_constants(predicate, left, right, builder)) return found;
  if (Value* found = narrower(predicate, left, right, builder)) return found;
  return against_zero(predicate, left, right, builder);
}

}  // namespace systole::compiler
