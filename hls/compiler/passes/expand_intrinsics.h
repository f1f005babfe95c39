#pragma once

namespace llvm {
class Function;
class Instruction;
}  // namespace llvm

namespace systole::compiler {

/// Writes out what LLVM calls by a name and SystemVerilog has no operator for: the larger and the
/// smaller of two values, absolute values, counts of ones and of zeros, rotations, reversed bits and
/// bytes, saturating sums, three-way comparisons.
///
/// before  %n = call i4 @llvm.ctpop.i4(i4 %x)      after  %n = add (add %x[0], %x[1]), ...
void expand_intrinsics(llvm::Function& function);

/// Whether expand_intrinsics writes this instruction out.
bool must_expand(const llvm::Instruction& instruction);

}  // namespace systole::compiler
