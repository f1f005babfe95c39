#pragma once

#include <llvm/IR/PassManager.h>

namespace systole::compiler {

/// Replaces LLVM's InstCombine: removes C++'s detours (widening to int, bools as bytes, three-way
/// comparisons, values passed in halves) and keeps the source's form. It never negates a condition,
/// merges tests, or rewrites a comparison into an equivalent one, so names stay true and a module
/// reads like its kernel; synthesis does all of that anyway.
///
/// before  %w = zext i3 %target to i32        after  %is_load = icmp eq i3 %target, 1
///         %is_load = icmp eq i32 %w, 1
struct PlainCombine : llvm::PassInfoMixin<PlainCombine> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace systole::compiler
