#pragma once

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace systole::compiler {

/// The type layer says by a call where a channel is pushed to or popped from, and where a thread
/// drives a wire (systole/hls/stream.h). Says to LLVM that these touch no memory of the program's.
void declare_drivers(llvm::Module& program);

/// Refuses two of a kind at one channel or wire in one clock: the later would silently win, and the
/// beats of the other would be lost. Removes the calls.
///
/// Errors   Refusal at the later one
void check_drivers(llvm::Function& clock);

}  // namespace systole::compiler
