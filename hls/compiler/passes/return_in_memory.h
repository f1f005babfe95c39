#pragma once

namespace llvm {
class Module;
}

namespace systole::compiler {

/// Returns the outputs of clock() and outputs() through memory where the host's calling convention
/// returns small structs of bools in registers, so that each output keeps its name.
///
/// before  define i16 @clock(this, in) { ... %r = load i16, ptr %retval; ret i16 %r }
/// after   define void @clock(sret out, this, in) { ... ret void }
void return_in_memory(llvm::Module& program);

}  // namespace systole::compiler
