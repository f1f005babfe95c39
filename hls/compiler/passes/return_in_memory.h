#pragma once

namespace llvm {
class Module;
}

namespace systole::compiler {

/// Gives clock() and outputs() their outputs by memory where the host's calling convention hands
/// small structs of bools over in registers, so that each output is seen by name.
///
/// before  define i16 @clock(this, in) { ... %r = load i16, ptr %retval; ret i16 %r }
/// after   define void @clock(sret out, this, in) { ... ret void }
void return_in_memory(llvm::Module& program);

}  // namespace systole::compiler
