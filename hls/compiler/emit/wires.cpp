#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <vector>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/emit/expression.h"
#include "hls/compiler/emit/float_fields.h"
#include "hls/compiler/emit/struct_views.h"

namespace systole::compiler {

using llvm::dyn_cast;

sv::Expression ExpressionBuilder::concatenation(const llvm::Instruction& instruction) const {
  const unsigned width = width_of(instruction);
  const llvm::Value& source = *instruction.getOperand(0);
  unsigned amount = 0;
  unsigned high = 0;
  unsigned low = 0;
  switch (instruction.getOpcode()) {
    case llvm::Instruction::ZExt:
      return sv::concatenation({sv::zeros(width - width_of(source)), operand(source)});
    case llvm::Instruction::Freeze:
      return operand(source);
    case llvm::Instruction::SExt: {
      const unsigned from = width_of(source);
      if (from == 1) return sv::replication(width, operand(source));
      return sv::concatenation(
          {sv::replication(width - from, slice(source, from - 1, from - 1)), operand(source)});
    }
    case llvm::Instruction::Trunc:
      return slice(source, width - 1, 0);
    case llvm::Instruction::Shl:
      constant_shift(instruction, amount);
      if (amount == 0) return operand(source);
      return sv::concatenation({slice(source, width - 1 - amount, 0), sv::zeros(amount)});
    case llvm::Instruction::LShr:
      constant_shift(instruction, amount);
      if (amount == 0) return operand(source);
      return sv::concatenation({sv::zeros(amount), slice(source, width - 1, amount)});
    case llvm::Instruction::And: {
      is_mask(*instruction.getOperand(1), high, low);
      std::vector<sv::Expression> parts;
      if (high + 1 < width) parts.push_back(sv::zeros(width - 1 - high));
      parts.push_back(slice(source, high, low));
      if (low > 0) parts.push_back(sv::zeros(low));
      return sv::concatenation(parts);
    }
    default:
      break;
  }
  const sv::Expression both = interleaved(instruction, width - 1, 0);
  return both.empty() ? sv::binary(operand(source), "|", operand(*instruction.getOperand(1)))
                      : both;
}

sv::Expression ExpressionBuilder::interleaved(const llvm::Instruction& instruction, unsigned high,
                                              unsigned low) const {
  const llvm::DataLayout& layout = instruction.getModule()->getDataLayout();
  const llvm::Value& source = *instruction.getOperand(0);
  const llvm::Value& other = *instruction.getOperand(1);
  const llvm::APInt left = possible_ones(source, layout);
  const llvm::APInt right = possible_ones(other, layout);
  if ((left & right) != 0) return {};
  std::vector<sv::Expression> parts;
  const auto side = [&](unsigned bit) { return left[bit] ? 1 : right[bit] ? 2 : 0; };
  const int lowest = static_cast<int>(low);
  for (int at = static_cast<int>(high); at >= lowest;) {
    int end = at;
    while (end > lowest && side(end - 1) == side(at)) --end;
    if (side(at) == 0) {
      parts.push_back(sv::zeros(at - end + 1));
    } else {
      parts.push_back(slice(side(at) == 1 ? source : other, at, end));
    }
    at = end - 1;
  }
  return sv::concatenation(parts);
}

sv::Expression ExpressionBuilder::slice(const llvm::Value& value, unsigned high,
                                        unsigned low) const {
  const unsigned width = width_of(value);
  if (low == 0 && high + 1 == width) return operand(value);
  if (const auto* constant = dyn_cast<llvm::ConstantInt>(&value)) {
    return sv::literal_of(constant->getValue().extractBits(high - low + 1, low));
  }
  Reference reference;
  if (find(value, reference)) {
    sv::Expression member;
    if (views_) member = views_->field(reference, high, low, uses_);
    if (floats_ && member.empty()) member = floats_->field(value, reference, high, low);
    return member.empty() ? slice_of(reference, high, low) : member;
  }
  const auto& instruction = llvm::cast<llvm::Instruction>(value);
  const Use here = at(&instruction);
  const llvm::Value& source = *instruction.getOperand(0);
  unsigned amount = 0;
  switch (instruction.getOpcode()) {
    case llvm::Instruction::ZExt: {
      const unsigned from = width_of(source);
      if (low >= from) return sv::zeros(high - low + 1);
      if (high < from) return slice(source, high, low);
      return sv::concatenation({sv::zeros(high - from + 1), slice(source, from - 1, low)});
    }
    case llvm::Instruction::SExt: {
      const unsigned sign = width_of(source) - 1;
      if (high <= sign) return slice(source, high, low);
      const sv::Expression bit = slice(source, sign, sign);
      if (low > sign) return high == low ? bit : sv::replication(high - low + 1, bit);
      return sv::concatenation({sv::replication(high - sign, bit), slice(source, sign, low)});
    }
    case llvm::Instruction::Trunc:
    case llvm::Instruction::Freeze:
      return slice(source, high, low);
    case llvm::Instruction::LShr:
      if (constant_shift(instruction, amount)) {
        if (low + amount >= width) return sv::zeros(high - low + 1);
        if (high + amount < width) return slice(source, high + amount, low + amount);
        return sv::concatenation(
            {sv::zeros(high + amount - width + 1), slice(source, width - 1, low + amount)});
      }
      break;
    case llvm::Instruction::Shl:
      if (constant_shift(instruction, amount)) {
        if (low >= amount) return slice(source, high - amount, low - amount);
        if (high < amount) return sv::zeros(high - low + 1);
        return sv::concatenation({slice(source, high - amount, 0), sv::zeros(amount - low)});
      }
      break;
    case llvm::Instruction::And: {
      unsigned mask_high = 0;
      unsigned mask_low = 0;
      if (!is_mask(*instruction.getOperand(1), mask_high, mask_low)) break;
      if (low > mask_high || high < mask_low) return sv::zeros(high - low + 1);
      std::vector<sv::Expression> parts;
      if (high > mask_high) parts.push_back(sv::zeros(high - mask_high));
      parts.push_back(slice(source, std::min(high, mask_high), std::max(low, mask_low)));
      if (low < mask_low) parts.push_back(sv::zeros(mask_low - low));
      return sv::concatenation(parts);
    }
    case llvm::Instruction::Or:
      if (sv::Expression both = interleaved(instruction, high, low); !both.empty()) return both;
      break;
    case llvm::Instruction::Select:
      // Not a cast of the whole: Yosys 0.23 mistakes the width of a concatenation with a cast.
      return sv::choice(operand(*instruction.getOperand(0)),
                        slice(*instruction.getOperand(1), high, low),
                        slice(*instruction.getOperand(2), high, low));
    default:
      break;
  }
  const sv::Expression whole = operand(value);
  return sv::cast(high - low + 1,
                  low == 0 ? whole : sv::binary(whole, ">>", sv::plain_number(low)));
}

}  // namespace systole::compiler
