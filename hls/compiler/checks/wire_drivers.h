#pragma once

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace systole::compiler {

/// Tells LLVM that the type layer's marker calls touch no memory. They mark where a channel is
/// pushed or popped, and where a thread drives a wire (systole/hls/stream.h).
void declare_drivers(llvm::Module& program);

/// Refuses two pushes, pops or drivers of one channel or wire in one clock: the later would
/// silently win and lose the other's beats. Removes the calls.
///
/// Errors   Refusal at the later one
void check_drivers(llvm::Function& clock);

}  // namespace systole::compiler
