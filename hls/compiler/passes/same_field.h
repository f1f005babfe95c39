#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

namespace systole::compiler {

/// Replaces wires that lead to consecutive bits of one value by those bits: clang passes a wide
/// value in halves and joins them again. Null if the wires are no such detour.
llvm::Value* same_field(llvm::Instruction& at, llvm::IRBuilder<>& builder);

}  // namespace systole::compiler
