#pragma once

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace systole::compiler {

/// Names each user function's result after the function, as the debug information of a variable,
/// which follows the value through inlining and every later pass.
///
/// before  UInt<8> opcode_of(..) { return %v; }     after  the same, and %v is called opcode
void name_results(llvm::Module& program);

/// Moves values' debug records to the function's end, where no pass removes them with a block.
/// Hardware has no execution order in which a debugger would miss them.
void keep_names(llvm::Function& function);

}  // namespace systole::compiler
