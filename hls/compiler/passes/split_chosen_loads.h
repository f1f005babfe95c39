#pragma once

#include <llvm/IR/PassManager.h>

namespace systole::compiler {

/// Turns a load through a selected pointer, as from `condition ? a : b` of two registers, into a
/// select of two loads: a multiplexer. Reading a register has no effect, so both are read. A load
/// of of a member or an element of what was chosen is a load through it, too. A pointer that walks
/// through an array in a loop stays.
/// an array in a loop stays: unrolling makes constants of it.
///
/// before  %p = select i1 %c, ptr %a, ptr %b    after  %x = select i1 %c, (load %a), (load %b)
///         %x = load i8, ptr %p
struct SplitChosenLoads : llvm::PassInfoMixin<SplitChosenLoads> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace systole::compiler
