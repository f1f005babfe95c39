#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

namespace systole::compiler {

/// What a comparison says without C++'s detours: at its operands' own width, a three-way comparison
/// as one, a choice between constants as its condition. Null where it is plain already.
llvm::Value* plain_comparison(llvm::ICmpInst& test, llvm::IRBuilder<>& builder);

}  // namespace systole::compiler
