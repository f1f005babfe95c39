#pragma once

#include <llvm/IR/PassManager.h>

namespace systole::compiler {

/// Makes local variables values. clang keeps a UInt<1> in an i8 and hands a UInt<35> over in an
/// i64, or a UInt<100> in two registers: each variable takes the widest of the types it is accessed
/// with, and one that is accessed in pieces becomes one wide integer. A local that nothing reads
/// goes, with its writes.
///
/// before  store i16 %a, ptr %local                      after  %x = trunc (lshr i16 %a, 8) to i8
///         %x = load i8, ptr (getelementptr %local, 1)
struct PromoteLocals : llvm::PassInfoMixin<PromoteLocals> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace systole::compiler
