#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "hls/compiler/ir/operations.h"
#include "hls/compiler/loops/kernel_analyses.h"
#include "hls/compiler/loops/units.h"
#include "hls/compiler/passes/expand_divisions.h"

namespace systole::compiler {
namespace {

using llvm::Value;

/// An operand's size and sign.
struct Magnitude {
  Value* size = nullptr;
  Value* is_negative = nullptr;  ///< null if it never is
  unsigned bits = 1;             ///< of the size
};

class Division {
 public:
  explicit Division(LoweredKernel& kernel)
      : kernel_(kernel), analyses_(*kernel.body), builder_(kernel.body->getContext()) {}

  void lower(llvm::BinaryOperator& operation) {
    const auto opcode = operation.getOpcode();
    const bool is_signed = opcode == llvm::Instruction::SDiv || opcode == llvm::Instruction::SRem;
    const bool is_remainder =
        opcode == llvm::Instruction::URem || opcode == llvm::Instruction::SRem;
    builder_.SetInsertPoint(&operation);
    const Parts parts = parts_of(operation, is_signed);
    Value* size = is_remainder ? parts.remainder : parts.quotient;
    Value* is_negative = is_remainder ? parts.remainder_is_negative : parts.quotient_is_negative;
    Value* result = builder_.CreateZExtOrTrunc(size, operation.getType());
    if (is_negative)
      result = builder_.CreateSelect(is_negative, builder_.CreateNeg(result), result);
    result->takeName(&operation);
    operation.replaceAllUsesWith(result);
    operation.eraseFromParent();
  }

 private:
  struct Parts {
    Value* quotient = nullptr;
    Value* remainder = nullptr;
    Value* quotient_is_negative = nullptr;
    Value* remainder_is_negative = nullptr;
  };

  Parts parts_of(llvm::BinaryOperator& operation, bool is_signed) {
    Value* dividend = operation.getOperand(0);
    Value* divisor = operation.getOperand(1);
    Parts& parts = known_[{operation.getParent(), dividend, divisor, is_signed}];
    if (parts.quotient) return parts;
    const Magnitude n = magnitude(*dividend, is_signed);
    const Magnitude d = magnitude(*divisor, is_signed);
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(divisor)) {
      const QuotientAndRemainder by_constant = divide_by_constant(
          builder_, *n.size, n.bits, is_signed ? constant->getValue().abs() : constant->getValue());
      parts.quotient = by_constant.quotient;
      parts.remainder = by_constant.remainder;
    } else {
      divide(parts, n, d);
    }
    parts.remainder_is_negative = n.is_negative;
    parts.quotient_is_negative = n.is_negative && d.is_negative
                                     ? builder_.CreateXor(n.is_negative, d.is_negative)
                                 : n.is_negative ? n.is_negative
                                                 : d.is_negative;
    return parts;
  }

  Magnitude magnitude(Value& value, bool is_signed) {
    llvm::ScalarEvolution& evolution = analyses_.evolution();
    const llvm::SCEV* known = evolution.getSCEV(&value);
    const llvm::APInt least = evolution.getSignedRange(known).getSignedMin();
    if (!is_signed || least.isNonNegative()) {
      const unsigned by_range = evolution.getUnsignedRange(known).getUnsignedMax().getActiveBits();
      const unsigned by_bits =
          llvm::computeKnownBits(&value, kernel_.body->getParent()->getDataLayout())
              .countMaxActiveBits();
      return {&value, nullptr, std::max(1u, std::min(by_range, by_bits))};
    }
    const llvm::APInt most = evolution.getSignedRange(known).getSignedMax();
    Value* is_negative =
        builder_.CreateICmpSLT(&value, llvm::Constant::getNullValue(value.getType()));
    const unsigned by_bits =
        value.getType()->getIntegerBitWidth() -
        llvm::ComputeNumSignBits(&value, kernel_.body->getParent()->getDataLayout()) + 1;
    const unsigned by_range = std::max((-least).getActiveBits(), most.getActiveBits());
    return {builder_.CreateSelect(is_negative, builder_.CreateNeg(&value), &value), is_negative,
            std::max(1u, std::min(by_range, by_bits))};
  }

  /// By a variable: a unit.
  void divide(Parts& parts, const Magnitude& n, const Magnitude& d) {
    const int number = unit(n.bits, d.bits);
    const KernelUnit& unit = kernel_.units[static_cast<std::size_t>(number)];
    Value* both = emit_operation(
        builder_, Operation::kUnit, builder_.getIntNTy(unit.result_bits),
        {builder_.getInt32(static_cast<unsigned>(number)), builder_.getInt32(0),
         builder_.getInt32(1), builder_.CreateZExtOrTrunc(n.size, builder_.getIntNTy(n.bits)),
         builder_.CreateZExtOrTrunc(d.size, builder_.getIntNTy(d.bits))});
    both->setName(unit.name);
    parts.quotient = builder_.CreateTrunc(both, builder_.getIntNTy(n.bits));
    parts.remainder = builder_.CreateTrunc(builder_.CreateLShr(both, n.bits),
                                           builder_.getIntNTy(unit.result[1].width));
  }

  int unit(unsigned dividend_bits, unsigned divisor_bits) {
    const std::vector<unsigned> bits = {dividend_bits, divisor_bits};
    for (std::size_t i = 0; i < kernel_.units.size(); ++i) {
      const KernelUnit& one = kernel_.units[i];
      if (one.kind == KernelUnit::Kind::kDivision && one.argument_bits == bits) {
        return static_cast<int>(i);
      }
    }
    const auto part = [](const char* name, unsigned width) {
      Leaf leaf;
      leaf.name = name;
      leaf.width = width;
      return leaf;
    };
    const unsigned remainder_bits = std::min(dividend_bits, divisor_bits);
    kernel_.units.push_back({.kind = KernelUnit::Kind::kDivision,
                             .name = "division",
                             .argument_bits = bits,
                             .result_bits = dividend_bits + remainder_bits,
                             .result = {part("result_quotient", dividend_bits),
                                        part("result_remainder", remainder_bits)}});
    return static_cast<int>(kernel_.units.size()) - 1;
  }

  LoweredKernel& kernel_;
  KernelAnalyses analyses_;
  llvm::IRBuilder<> builder_;
  std::map<std::tuple<const llvm::BasicBlock*, Value*, Value*, bool>, Parts> known_;
};

/// By a variable, or by a constant other than zero.
bool is_division(const llvm::Instruction& instruction) {
  return instruction.isIntDivRem() && (divides_by_constant(instruction) ||
                                       !llvm::isa<llvm::Constant>(instruction.getOperand(1)));
}

}  // namespace

void lower_divisions(LoweredKernel& kernel) {
  std::vector<llvm::BinaryOperator*> divisions;
  for (llvm::Instruction& instruction : llvm::instructions(*kernel.body)) {
    if (is_division(instruction)) {
      divisions.push_back(llvm::cast<llvm::BinaryOperator>(&instruction));
    }
  }
  if (divisions.empty()) return;
  Division division(kernel);
  for (llvm::BinaryOperator* one : divisions) division.lower(*one);
}

}  // namespace systole::compiler
