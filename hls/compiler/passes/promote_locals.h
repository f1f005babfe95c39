#pragma once

#include <llvm/IR/PassManager.h>

namespace systole::compiler {

/// Promotes local variables to values. clang keeps a UInt<1> in an i8, passes a UInt<35> in an i64
/// and a UInt<100> in two registers: each variable takes the widest type it is accessed with, and
/// one accessed in pieces becomes one wide integer. Removes locals that nothing reads.
///
/// before  store i16 %a, ptr %local                      after  %x = trunc (lshr i16 %a, 8) to i8
///         %x = load i8, ptr (getelementptr %local, 1)
struct PromoteLocals : llvm::PassInfoMixin<PromoteLocals> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace systole::compiler
