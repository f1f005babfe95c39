#pragma once

#include <llvm/IR/PassManager.h>

namespace systole::compiler {

/// Turns a choice between places of one array into a choice between their indices: what
/// std::find and std::max_element give back. A choice that is read through stays, unless
/// `read_too`, since SplitChosenLoads makes a multiplexer of it; a memory takes an index.
///
/// before  %p = phi ptr [%a, ...], [%q, ...]        after  %i = phi i64 [0, ...], [%k, ...]
///         with %q = getelementptr i8, ptr %a, %k          %p = getelementptr i8, ptr %a, %i
void index_choices(llvm::Function& function, bool read_too);

/// Of choices that are only compared.
struct IndexChoices : llvm::PassInfoMixin<IndexChoices> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace systole::compiler
