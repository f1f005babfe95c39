#pragma once

#include <llvm/IR/PassManager.h>

namespace systole::compiler {

/// Turns a load through a chosen pointer, as `condition ? a : b` of two registers makes it, into a
/// choice of two loads, which is a multiplexer. Reading a register has no effect, so both are read.
///
/// before  %p = select i1 %c, ptr %a, ptr %b    after  %x = select i1 %c, (load %a), (load %b)
///         %x = load i8, ptr %p
struct SplitChosenLoads : llvm::PassInfoMixin<SplitChosenLoads> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace systole::compiler
