#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

namespace systole::compiler {

/// A comparison without C++'s detours: at its operands' own width, a three-way comparison as one
/// comparison, a select between constants as its condition. Null if it is plain already.
llvm::Value* plain_comparison(llvm::ICmpInst& test, llvm::IRBuilder<>& builder);

}  // namespace systole::compiler
