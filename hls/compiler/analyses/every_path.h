#pragma once

#include <llvm/IR/BasicBlock.h>

namespace systole::compiler {

/// Whether every path from `from` to a return passes `block`. Paths into `unreachable` do not
/// count, since no input takes them: LLVM adds one to a switch with a case for every value.
bool every_path_passes(const llvm::BasicBlock& block, const llvm::BasicBlock& from);

}  // namespace systole::compiler
