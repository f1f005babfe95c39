#pragma once

#include <vector>

#include "hls/compiler/frontend/layout.h"

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

/// Builds the outputs in a local variable and stores them at the end. clang builds them in place,
/// but only a local can be read back and indexed by a variable.
///
/// before  store i8 %x, ptr %result    after  store i8 %x, ptr %outputs; ...
///                                            store (load %outputs), ptr %result; ret void
void build_outputs_locally(llvm::Function& clock, const std::vector<Leaf>& outputs);

}  // namespace systole::compiler
