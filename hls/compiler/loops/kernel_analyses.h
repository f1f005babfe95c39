#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Passes/PassBuilder.h>

namespace systole::compiler {

/// LLVM's analyses of a kernel's body as it is now.
class KernelAnalyses {
 public:
  explicit KernelAnalyses(llvm::Function& function) : function_(function) {
    llvm::PassBuilder().registerFunctionAnalyses(analyses_);
  }
  llvm::LoopInfo& loops() { return analyses_.getResult<llvm::LoopAnalysis>(function_); }
  llvm::ScalarEvolution& evolution() {
    return analyses_.getResult<llvm::ScalarEvolutionAnalysis>(function_);
  }

 private:
  llvm::Function& function_;
  llvm::FunctionAnalysisManager analyses_;
};

}  // namespace systole::compiler
