#pragma once

#include <llvm/Passes/PassBuilder.h>

namespace systole::compiler {

/// Runs LLVM passes with the analyses that they request.
class LlvmPasses {
 public:
  LlvmPasses() {
    builder_.registerModuleAnalyses(modules_);
    builder_.registerCGSCCAnalyses(components_);
    builder_.registerFunctionAnalyses(functions_);
    builder_.registerLoopAnalyses(loops_);
    builder_.crossRegisterProxies(loops_, functions_, components_, modules_);
  }
  void run(llvm::FunctionPassManager& passes, llvm::Function& function) {
    passes.run(function, functions_);
  }
  void run(llvm::ModulePassManager& passes, llvm::Module& module) { passes.run(module, modules_); }
  template <typename Analysis>
  typename Analysis::Result& analysis(llvm::Function& function) {
    return functions_.getResult<Analysis>(function);
  }

 private:
  llvm::PassBuilder builder_;
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager components_;
  llvm::ModuleAnalysisManager modules_;
};

}  // namespace systole::compiler
