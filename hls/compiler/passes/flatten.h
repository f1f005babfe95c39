#pragma once

namespace llvm {
class Function;
}

namespace systole::compiler {

/// Turns a function without loops into one block: every branch becomes selects.
///
/// before  br %c, %then, %else                 after  %x = select %c, %a, %b
///         join: %x = phi [%a, %then], [%b, %else]
///
/// Limits   the caller has unrolled every loop, and nothing inside a branch has an effect
/// Errors   Refusal for a remaining loop, or an effect under a condition
void flatten(llvm::Function& function);

}  // namespace systole::compiler
