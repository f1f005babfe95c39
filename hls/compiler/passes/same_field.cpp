#include "hls/compiler/passes/same_field.h"

#include <llvm/IR/Constants.h>

#include <utility>

#include "hls/compiler/analyses/wiring.h"

namespace systole::compiler {
namespace {

using llvm::dyn_cast;
using llvm::Instruction;
using llvm::Value;

/// The number of wires between a value and its source.
unsigned steps_to(const Value* value, const Value* source) {
  unsigned most = 0;
  const auto* wire = value == source ? nullptr : dyn_cast<Instruction>(value);
  if (!wire || !is_wiring(*wire)) return 0;
  for (const Value* operand : wire->operands()) {
    if (!llvm::isa<llvm::Constant>(operand)) most += steps_to(operand, source);
  }
  return most + 1;
}

/// A bit's source; null for a constant zero, the value itself if it is not a wire. A sign extension
/// is the source of all its bits, or a wire of those below the sign.
std::pair<Value*, unsigned> bit_of(Value* value, unsigned bit, bool through_signs) {
  for (;;) {
    auto* wire = dyn_cast<Instruction>(value);
    if (!wire || !is_wiring(*wire) || wire->getOpcode() == Instruction::Freeze) {
      const auto* constant = dyn_cast<llvm::ConstantInt>(value);
      if (constant && !constant->getValue()[bit]) return {nullptr, 0};
      return {value, bit};
    }
    Value* source = wire->getOperand(0);
    unsigned amount = 0, high = 0, low = 0;
    switch (wire->getOpcode()) {
      case Instruction::ZExt:
        if (bit >= width_of(*source)) return {nullptr, 0};
        break;
      case Instruction::SExt:
        if (!through_signs || bit >= width_of(*source)) return {value, bit};
        break;
      case Instruction::Trunc:
        break;
      case Instruction::Shl:
        constant_shift(*wire, amount);
        if (bit < amount) return {nullptr, 0};
        bit -= amount;
        break;
      case Instruction::LShr:
        constant_shift(*wire, amount);
        bit += amount;
        if (bit >= width_of(*source)) return {nullptr, 0};
        break;
      case Instruction::And:
        is_mask(*wire->getOperand(1), high, low);
        if (bit < low || bit > high) return {nullptr, 0};
        break;
      default: {  // an `or` of values that never share a one bit
        const auto left = bit_of(source, bit, through_signs);
        const auto right = bit_of(wire->getOperand(1), bit, through_signs);
        if (left.first && right.first) return {value, bit};
        return left.first ? left : right;
      }
    }
    value = source;
  }
}

Value* same_field(Instruction& at, llvm::IRBuilder<>& builder, bool through_signs) {
  const unsigned width = width_of(at);
  Value* source = nullptr;
  unsigned first = 0, count = 0;
  for (unsigned bit = 0; bit < width; ++bit) {
    const auto [from, place] = bit_of(&at, bit, through_signs);
    if (!from) {  // a zero: only above the field
      if (!source) return nullptr;
      continue;
    }
    if (!source) {
      if (bit != 0) return nullptr;
      source = from;
      first = place;
    }
    if (from != source || place != first + bit || count != bit) return nullptr;
    ++count;
  }
  if (!source || steps_to(&at, source) <= 1 + (first > 0 ? 1 : 0) + (count < width ? 1 : 0)) {
    return nullptr;
  }
  Value* field = first > 0 ? builder.CreateLShr(source, first) : source;
  return builder.CreateZExtOrTrunc(builder.CreateTrunc(field, builder.getIntNTy(count)),
                                   at.getType());
}

}  // namespace

Value* same_field(Instruction& at, llvm::IRBuilder<>& builder) {
  if (!is_wiring(at)) return nullptr;
  Value* field = same_field(at, builder, true);
  return field ? field : same_field(at, builder, false);
}

}  // namespace systole::compiler
