#pragma once

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace systole::compiler {

/// Gives what each of the user's functions returns the function's name, as debug information of a
/// variable: it then follows the value through inlining and every later pass.
///
/// before  UInt<8> opcode_of(..) { return %v; }     after  the same, and %v is called opcode
void name_results(llvm::Module& program);

/// Moves what debug information says of values to the function's end: there it does not go with a
/// block that a pass removes. Hardware has no order in which a debugger would miss it.
void keep_names(llvm::Function& function);

}  // namespace systole::compiler
