#pragma once

namespace llvm {
class Function;
}

namespace systole::compiler {

/// Refuses a shift of a raw host integer whose amount may reach the integer's width: C++ leaves the
/// result undefined, so no hardware can match it. The type layer's shifts are defined for every
/// amount and not checked.
///
/// Limits   run right after inlining: later, LLVM has assumed that such a shift never happens
/// Errors   Refusal with the position of the shift
void check_shift_amounts(llvm::Function& function);

}  // namespace systole::compiler
