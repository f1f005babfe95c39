#pragma once

#include <llvm/IR/PassManager.h>

namespace systole::compiler {

/// Turns comparisons and differences of two pointers into one array into those of their indices:
/// the ends of range-for, `p != a + n`, and the counts of the standard library's algorithms.
///
/// before  %p = getelementptr i16, ptr %a, %i       after  %more = icmp ne i64 %i, 4
///         %e = getelementptr i16, ptr %a, 4
///         %more = icmp ne ptr %p, %e
struct ComparePlaces : llvm::PassInfoMixin<ComparePlaces> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace systole::compiler
