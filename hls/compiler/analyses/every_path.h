#pragma once

#include <llvm/IR/BasicBlock.h>

namespace systole::compiler {

/// Whether every path from `from` to a return passes `block`. A path into `unreachable` does not
/// count, for no input takes it: LLVM puts one where a switch has a case for every value.
bool every_path_passes(const llvm::BasicBlock& block, const llvm::BasicBlock& from);

}  // namespace systole::compiler
