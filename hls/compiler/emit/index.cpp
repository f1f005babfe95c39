#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <cstdlib>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/emit/expression.h"
#include "hls/compiler/ir/operations.h"

namespace systole::compiler {

using llvm::dyn_cast;

void ExpressionBuilder::name_counter(const llvm::Value& value, const sv::Expression& counter) {
  constexpr unsigned kBits = 32;  // of int
  name(value, {counter, 0, kBits, kBits});
  counters_.insert(&value);
}

bool ExpressionBuilder::counts(const llvm::Value& value) const {
  if (counters_.count(&value) != 0) return true;
  const auto* instruction = dyn_cast<llvm::Instruction>(&value);
  Reference reference;
  if (!instruction || is_any_operation(*instruction) || find(value, reference)) return false;
  return std::any_of(instruction->op_begin(), instruction->op_end(),
                     [this](const llvm::Value* operand) { return counts(*operand); });
}

bool ExpressionBuilder::counts_alone(const llvm::Value& value) const {
  if (llvm::isa<llvm::Constant>(value) || counters_.count(&value) != 0) return true;
  const auto* instruction = dyn_cast<llvm::Instruction>(&value);
  return instruction && counts(value) &&
         std::all_of(instruction->op_begin(), instruction->op_end(),
                     [this](const llvm::Value* operand) { return counts_alone(*operand); });
}

sv::Expression ExpressionBuilder::index(const llvm::Value& value, std::int64_t elements) const {
  const unsigned bits = std::max(1u, llvm::Log2_64_Ceil(static_cast<std::uint64_t>(elements)));
  if (llvm::isa<llvm::Constant>(value) || counts_alone(value)) return counted_index(value);
  if (counts(value)) return sv::cast(bits, counted_index(value));
  const llvm::Value& source = narrowest_here(value);
  const unsigned width = width_of(source);
  if (width < bits) return sv::concatenation({sv::zeros(bits - width), operand(source)});
  return width > bits ? slice(source, bits - 1, 0) : operand(source);
}

static sv::Expression times(const sv::Expression& index, const sv::Expression& factor) {
  return sv::binary(index, "*", factor);
}

sv::Expression ExpressionBuilder::counted_index(const llvm::Value& value) const {
  if (const auto* constant = dyn_cast<llvm::ConstantInt>(&value)) {
    return sv::plain_number(constant->getSExtValue());
  }
  if (!counts(value)) return sv::cast(32, operand(narrowest_here(value)));
  Reference reference;
  if (find(value, reference)) {
    return expression_of(reference);
  }
  const auto& instruction = llvm::cast<llvm::Instruction>(value);
  const llvm::Value& source = *instruction.getOperand(0);
  switch (instruction.getOpcode()) {
    case llvm::Instruction::ZExt:
    case llvm::Instruction::SExt:
      return counted_index(source);
    case llvm::Instruction::Or:  // of bits that are never both set: LLVM's carry-free sum
      if (!llvm::cast<llvm::PossiblyDisjointInst>(instruction).isDisjoint()) break;
      [[fallthrough]];
    case llvm::Instruction::Add:
      if (const auto* constant = dyn_cast<llvm::ConstantInt>(instruction.getOperand(1))) {
        const std::int64_t step = constant->getSExtValue();
        return sv::binary(counted_index(source), step < 0 ? "-" : "+",
                          sv::plain_number(std::abs(step)));
      }
      return sv::binary(counted_index(source), "+", counted_index(*instruction.getOperand(1)));
    case llvm::Instruction::Mul:
      return times(counted_index(source), counted_index(*instruction.getOperand(1)));
    case llvm::Instruction::Shl:
      if (const auto* constant = dyn_cast<llvm::ConstantInt>(instruction.getOperand(1))) {
        return times(counted_index(source), sv::plain_number(1LL << constant->getZExtValue()));
      }
      break;
    default:
      break;
  }
  return operand(value);
}

}  // namespace systole::compiler
