#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

namespace systole::compiler {

/// Wires that lead to consecutive bits of one value are written as those: clang passes a wide
/// value in halves, and puts it together again. Null where the wires are no such detour.
llvm::Value* same_field(llvm::Instruction& at, llvm::IRBuilder<>& builder);

}  // namespace systole::compiler
