#pragma once

namespace llvm {
class Function;
}

namespace systole::compiler {

/// Refuses a shift of a raw host integer whose amount may reach the integer's width: C++ leaves the
/// result undefined, so no hardware is right. Shifts of the type layer are defined for every amount
/// and are not looked at.
///
/// Limits   run on a function as it was inlined, before anything else: later, LLVM has used that
///          such a shift never happens
/// Errors   Refusal with the position of the shift
void check_shift_amounts(llvm::Function& function);

}  // namespace systole::compiler
