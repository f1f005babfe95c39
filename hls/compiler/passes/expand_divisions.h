#pragma once

#include <llvm/ADT/APInt.h>
#include <llvm/IR/IRBuilder.h>

namespace llvm {
class Function;
class Instruction;
}  // namespace llvm

namespace systole::compiler {

struct QuotientAndRemainder {
  llvm::Value* quotient = nullptr;
  llvm::Value* remainder = nullptr;
};

/// Divides an unsigned value of `bits` bits by a nonzero constant, without a divider. Quotient and
/// remainder may differ in width from the dividend and from each other.
QuotientAndRemainder divide_by_constant(llvm::IRBuilder<>& builder, llvm::Value& dividend,
                                        unsigned bits, const llvm::APInt& divisor);

/// Expands divisions by constants, whatever made the divisor one, into products and shifts.
///
/// before  %q = udiv i9 %x, 7      after  %q = trunc (lshr (mul (zext %x to i17), 147), 12) ...
void expand_divisions(llvm::Function& function);

/// Whether expand_divisions expands this instruction.
bool divides_by_constant(const llvm::Instruction& instruction);

}  // namespace systole::compiler
