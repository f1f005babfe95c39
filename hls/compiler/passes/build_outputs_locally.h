#pragma once

#include <vector>

#include "hls/compiler/frontend/layout.h"

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

/// The outputs as a local variable, handed over at the end: clang builds them in place, and a local
/// may be read back and indexed by a variable.
///
/// before  store i8 %x, ptr %result    after  store i8 %x, ptr %outputs; ...
///                                            store (load %outputs), ptr %result; ret void
void build_outputs_locally(llvm::Function& clock, const std::vector<Leaf>& outputs);

}  // namespace systole::compiler
