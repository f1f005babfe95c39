#include "hls/compiler/analyses/wiring.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/KnownBits.h>

namespace systole::compiler {

unsigned width_of(const llvm::Value& value) {
  const auto* type = llvm::dyn_cast<llvm::IntegerType>(value.getType());
  return type ? type->getBitWidth() : 0;
}

bool constant_shift(const llvm::Instruction& instruction, unsigned& amount) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
  if (!constant) return false;
  amount = static_cast<unsigned>(constant->getZExtValue());
  return true;
}

bool is_mask(const llvm::Value& value, unsigned& high, unsigned& low) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&value);
  unsigned length = 0;
  if (!constant || !constant->getValue().isShiftedMask(low, length)) return false;
  high = low + length - 1;
  return true;
}

bool is_disjoint_or(const llvm::Instruction& instruction) {
  const auto* either = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&instruction);
  return either && either->isDisjoint();
}

bool is_wiring(const llvm::Instruction& instruction) {
  unsigned high = 0;
  unsigned low = 0;
  switch (instruction.getOpcode()) {
    case llvm::Instruction::ZExt:
    case llvm::Instruction::SExt:
    case llvm::Instruction::Trunc:
    case llvm::Instruction::Freeze:
      return true;
    case llvm::Instruction::Shl:
    case llvm::Instruction::LShr:
      return constant_shift(instruction, high);
    case llvm::Instruction::And:
      return is_mask(*instruction.getOperand(1), high, low);
    case llvm::Instruction::Or:
      return is_disjoint_or(instruction);
    default:
      return false;
  }
}

llvm::APInt possible_ones(const llvm::Value& value, const llvm::DataLayout& layout) {
  const unsigned width = width_of(value);
  const auto* wire = llvm::dyn_cast<llvm::Instruction>(&value);
  if (!wire || !is_wiring(*wire)) return ~llvm::computeKnownBits(&value, layout).Zero;
  const llvm::APInt source = possible_ones(*wire->getOperand(0), layout);
  unsigned amount = 0, high = 0, low = 0;
  switch (wire->getOpcode()) {
    case llvm::Instruction::ZExt:
      return source.zext(width);
    case llvm::Instruction::SExt:
      return source.sext(width);
    case llvm::Instruction::Trunc:
      return source.trunc(width);
    case llvm::Instruction::Shl:
      constant_shift(*wire, amount);
      return source.shl(amount);
    case llvm::Instruction::LShr:
      constant_shift(*wire, amount);
      return source.lshr(amount);
    case llvm::Instruction::And:
      is_mask(*wire->getOperand(1), high, low);
      return source & llvm::APInt::getBitsSet(width, low, high + 1);
    case llvm::Instruction::Or:
      return source | possible_ones(*wire->getOperand(1), layout);
    default:  // freeze
      return source;
  }
}

bool is_guarded_shift(const llvm::Instruction& instruction, GuardedShift& found) {
  namespace match = llvm::PatternMatch;
  const auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction);
  if (!select || !select->getType()->isIntegerTy()) return false;
  llvm::Value* amount = nullptr;
  const llvm::APInt* limit = nullptr;
  if (!match::match(select->getCondition(),
                    match::m_SpecificICmp(llvm::CmpInst::ICMP_ULT, match::m_Value(amount),
                                          match::m_APInt(limit))) ||
      *limit != width_of(*select)) {
    return false;
  }
  const auto same = match::m_ZExtOrSelf(match::m_Specific(amount));
  const llvm::Value* first = select->getTrueValue();
  llvm::Value* value = nullptr;
  const bool zero = match::match(select->getFalseValue(), match::m_Zero());
  const bool ones = match::match(select->getFalseValue(), match::m_AllOnes());
  if (zero && match::match(first, match::m_LShr(match::m_Value(value), same))) {
    found.kind = GuardedShift::Kind::kRight;
  } else if (zero && match::match(first, match::m_Shl(match::m_Value(value), same))) {
    found.kind = GuardedShift::Kind::kLeft;
  } else if (ones && match::match(first, match::m_Not(match::m_Shl(match::m_Value(value), same)))) {
    found.kind = GuardedShift::Kind::kNotLeft;
    first = llvm::cast<llvm::Instruction>(first)->getOperand(0);
  } else {
    return false;
  }
  found.shift = llvm::cast<llvm::Instruction>(first);
  found.value = value;
  found.amount = amount;
  return true;
}

}  // namespace systole::compiler
