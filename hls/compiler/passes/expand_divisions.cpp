#include "hls/compiler/passes/expand_divisions.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <vector>

namespace systole::compiler {
namespace {

using llvm::Value;

/// A signed dividend's size and sign are divided apart: the remainder has the dividend's sign.
void expand(llvm::BinaryOperator& division) {
  const auto opcode = division.getOpcode();
  const bool is_signed = opcode == llvm::Instruction::SDiv || opcode == llvm::Instruction::SRem;
  const bool is_remainder = opcode == llvm::Instruction::URem || opcode == llvm::Instruction::SRem;
  const llvm::DataLayout& layout = division.getModule()->getDataLayout();
  llvm::IRBuilder<> builder(&division);
  Value* dividend = division.getOperand(0);
  const llvm::APInt& divisor = llvm::cast<llvm::ConstantInt>(division.getOperand(1))->getValue();
  unsigned bits = llvm::computeKnownBits(dividend, layout).countMaxActiveBits();
  Value* is_negative = nullptr;
  if (is_signed && !llvm::isKnownNonNegative(dividend, llvm::SimplifyQuery(layout))) {
    bits = llvm::ComputeMaxSignificantBits(dividend, layout);
    is_negative = builder.CreateIsNeg(dividend);
    dividend = builder.CreateSelect(is_negative, builder.CreateNeg(dividend), dividend);
  }
  const QuotientAndRemainder parts = divide_by_constant(builder, *dividend, std::max(1u, bits),
                                                        is_signed ? divisor.abs() : divisor);
  Value* size = builder.CreateZExtOrTrunc(is_remainder ? parts.remainder : parts.quotient,
                                          division.getType());
  const bool turns = is_signed && !is_remainder && divisor.isNegative();
  if (turns && is_negative) is_negative = builder.CreateNot(is_negative);
  if (is_negative) {
    size = builder.CreateSelect(is_negative, builder.CreateNeg(size), size);
  } else if (turns) {
    size = builder.CreateNeg(size);
  }
  if (llvm::isa<llvm::Instruction>(size)) size->takeName(&division);
  division.replaceAllUsesWith(size);
  division.eraseFromParent();
  llvm::RecursivelyDeleteTriviallyDeadInstructions(is_remainder ? parts.quotient : parts.remainder);
}

}  // namespace

QuotientAndRemainder divide_by_constant(llvm::IRBuilder<>& builder, Value& dividend, unsigned bits,
                                        const llvm::APInt& divisor) {
  if (divisor.isPowerOf2()) {
    const unsigned width = std::max(bits, divisor.getActiveBits());
    Value* size = builder.CreateZExtOrTrunc(&dividend, builder.getIntNTy(width));
    return {builder.CreateLShr(size, divisor.logBase2()),
            builder.CreateAnd(size, divisor.zextOrTrunc(width) - 1)};
  }
  // A product with 2^shift / divisor, rounded up, is the quotient's bits from `shift` on, since its
  // error is below one in 2^bits.
  const unsigned width = std::max(bits, divisor.getActiveBits()) + 1;
  const unsigned shift = bits + divisor.ceilLogBase2();
  const llvm::APInt wide = divisor.zextOrTrunc(width + shift + 1);
  const llvm::APInt factor =
      (llvm::APInt::getOneBitSet(wide.getBitWidth(), shift) + wide - 1).udiv(wide);
  llvm::Type* type = builder.getIntNTy(bits + factor.getActiveBits());
  Value* product = builder.CreateMul(
      builder.CreateZExtOrTrunc(&dividend, type),
      llvm::ConstantInt::get(type, factor.zextOrTrunc(type->getIntegerBitWidth())));
  llvm::Type* narrow = builder.getIntNTy(width);
  Value* quotient = builder.CreateZExtOrTrunc(builder.CreateLShr(product, shift), narrow);
  Value* whole =
      builder.CreateMul(quotient, llvm::ConstantInt::get(narrow, divisor.zextOrTrunc(width)));
  return {quotient, builder.CreateSub(builder.CreateZExtOrTrunc(&dividend, narrow), whole)};
}

bool divides_by_constant(const llvm::Instruction& instruction) {
  const auto* division = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
  if (!division || !division->isIntDivRem()) return false;
  const auto* divisor = llvm::dyn_cast<llvm::ConstantInt>(division->getOperand(1));
  return divisor && !divisor->isZero();
}

void expand_divisions(llvm::Function& function) {
  std::vector<llvm::BinaryOperator*> divisions;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (divides_by_constant(instruction)) {
      divisions.push_back(llvm::cast<llvm::BinaryOperator>(&instruction));
    }
  }
  for (llvm::BinaryOperator* division : divisions) expand(*division);
}

}  // namespace systole::compiler
