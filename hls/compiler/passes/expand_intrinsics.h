#pragma once

namespace llvm {
class Function;
class Instruction;
}  // namespace llvm

namespace systole::compiler {

/// Expands what has no operator in hardware: LLVM's intrinsics for minimum and maximum, absolute
/// values, counts of ones and zeros, rotations, reversed bits and bytes, saturating sums, three-way
/// comparisons; and divisions by constants (expand_divisions).
///
/// before  %n = call i4 @llvm.ctpop.i4(i4 %x)      after  %n = add (add %x[0], %x[1]), ...
void expand_intrinsics(llvm::Function& function);

/// Whether expand_intrinsics expands this instruction.
bool must_expand(const llvm::Instruction& instruction);

}  // namespace systole::compiler
