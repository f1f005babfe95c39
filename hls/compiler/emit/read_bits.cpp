#include "hls/compiler/emit/read_bits.h"

#include <llvm/ADT/APInt.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/KnownBits.h>

#include "hls/compiler/analyses/wiring.h"

namespace systole::compiler {
namespace {

using Counts = std::function<bool(const llvm::Instruction&)>;

llvm::APInt mask_of(const llvm::Value& value, const Counts& counts);

/// A comparison with a power of two ignores the bits below it.
llvm::APInt read_by_test(const llvm::ICmpInst& test, unsigned width) {
  llvm::APInt read = llvm::APInt::getAllOnes(width);
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(test.getOperand(1));
  if (!constant) return read;
  const bool below = test.getPredicate() == llvm::CmpInst::ICMP_ULT;
  const bool above = test.getPredicate() == llvm::CmpInst::ICMP_UGT;
  const llvm::APInt limit = constant->getValue() + (above ? 1 : 0);
  if ((below || above) && limit.isPowerOf2()) read.clearLowBits(limit.logBase2());
  return read;
}

llvm::APInt read_by(const llvm::Instruction& user, const llvm::Value& value, const Counts& counts) {
  const unsigned width = width_of(value);
  const llvm::APInt everything = llvm::APInt::getAllOnes(width);
  if (const auto* test = llvm::dyn_cast<llvm::ICmpInst>(&user)) {
    return test->getOperand(0) == &value ? read_by_test(*test, width) : everything;
  }
  if (!is_wiring(user)) return everything;
  unsigned amount = 0;
  switch (user.getOpcode()) {
    case llvm::Instruction::Trunc:
    case llvm::Instruction::ZExt:
      return mask_of(user, counts).zextOrTrunc(width);
    case llvm::Instruction::Shl:
      constant_shift(user, amount);
      return mask_of(user, counts).lshr(amount);
    case llvm::Instruction::LShr:
      constant_shift(user, amount);
      return mask_of(user, counts).shl(amount);
    case llvm::Instruction::And:
      return mask_of(user, counts) & llvm::cast<llvm::ConstantInt>(user.getOperand(1))->getValue();
    case llvm::Instruction::Or:
      return mask_of(user, counts) &
             ~llvm::computeKnownBits(&value, user.getModule()->getDataLayout()).Zero;
    default:
      return everything;
  }
}

llvm::APInt mask_of(const llvm::Value& value, const Counts& counts) {
  llvm::APInt read(width_of(value), 0);
  for (const llvm::User* user : value.users()) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
    if (instruction && counts(*instruction)) read |= read_by(*instruction, value, counts);
  }
  return read;
}

}  // namespace

BitSpan read_bits(const llvm::Value& value, const Counts& counts) {
  const unsigned width = width_of(value);
  const llvm::APInt read = mask_of(value, counts);
  if (read.isZero()) return {width - 1, 0};
  return {read.getActiveBits() - 1, read.countr_zero()};
}

}  // namespace systole::compiler
