#include "hls/compiler/loops/sums_of_products.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

namespace systole::compiler {
namespace {

/// The product that an operand is, perhaps extended.
bool is_product(const llvm::Value& operand) {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&operand);
  if (!instruction || !instruction->hasOneUse()) return false;
  if (llvm::isa<llvm::SExtInst, llvm::ZExtInst>(instruction)) {
    return is_product(*instruction->getOperand(0));
  }
  return instruction->getOpcode() == llvm::Instruction::Mul &&
         !llvm::isa<llvm::Constant>(instruction->getOperand(1));
}

}  // namespace

bool adds_product(const llvm::Instruction& operation) {
  return operation.getOpcode() == llvm::Instruction::Add &&
         (is_product(*operation.getOperand(0)) || is_product(*operation.getOperand(1)));
}

bool adds_products(const llvm::Value& next, const llvm::PHINode& sum) {
  const auto* operation = llvm::dyn_cast<llvm::Instruction>(&next);
  if (!operation || !adds_product(*operation)) return false;
  const llvm::Value& left = *operation->getOperand(0);
  const llvm::Value& right = *operation->getOperand(1);
  const llvm::Value& rest = is_product(left) ? right : left;
  const auto* begins = llvm::dyn_cast<llvm::SelectInst>(&rest);
  return &rest == &sum || (begins && begins->getFalseValue() == &sum) || adds_products(rest, sum);
}

}  // namespace systole::compiler
