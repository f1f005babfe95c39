#include "hls/compiler/schedule/delay_model.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cmath>

namespace systole::compiler {
namespace {

/// Levels of k-input tables to reduce `inputs` signals to one.
int tree_levels(unsigned inputs, int lut_inputs) {
  int levels = 0;
  for (double left = inputs; left > 1; left = std::ceil(left / lut_inputs)) ++levels;
  return levels;
}

bool is_constant(const llvm::Value* value) { return llvm::isa<llvm::Constant>(value); }

bool is_concatenation(const llvm::Instruction& instruction) {
  const auto* either = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&instruction);
  return either && either->isDisjoint();
}

}  // namespace

double DelayModel::delay_of(const llvm::Instruction& instruction) const {
  const unsigned width =
      instruction.getType()->isIntegerTy() ? instruction.getType()->getIntegerBitWidth() : 1;
  const double adder = level_ns + carry_ns * width;
  switch (instruction.getOpcode()) {
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
      return adder;
    case llvm::Instruction::Mul:
      return multiply_ns;
    case llvm::Instruction::And:
    case llvm::Instruction::Or:
    case llvm::Instruction::Xor:
      // A mask or a concatenation is wires; the rest shares a table with its neighbour.
      return is_constant(instruction.getOperand(1)) || is_concatenation(instruction)
                 ? 0
                 : 0.5 * level_ns;
    case llvm::Instruction::Select:
      return width == 1 ? 0.5 * level_ns : level_ns;
    case llvm::Instruction::Shl:
    case llvm::Instruction::LShr:
    case llvm::Instruction::AShr:
      if (is_constant(instruction.getOperand(1))) return 0;
      return level_ns * tree_levels(width, 4);
    case llvm::Instruction::ICmp: {
      const auto& compare = llvm::cast<llvm::ICmpInst>(instruction);
      const unsigned compared = compare.getOperand(0)->getType()->getIntegerBitWidth();
      if (!is_constant(compare.getOperand(1)) && !compare.isEquality()) {
        return level_ns + carry_ns * compared;
      }
      const unsigned inputs = is_constant(compare.getOperand(1)) ? compared : 2 * compared;
      return level_ns * tree_levels(inputs, lut_inputs);
    }
    case llvm::Instruction::Call: {
      const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      return intrinsic ? adder + level_ns : 0;
    }
    default:
      return 0;
  }
}

DelayModel generic_delay_model() {
  return {.target = "generic",
          .level_ns = 0.75,
          .carry_ns = 0.03,
          .multiply_ns = 3.2,
          .register_ns = 0.6,
          .lut_inputs = 6};
}

}  // namespace systole::compiler
