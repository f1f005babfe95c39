#include "hls/compiler/passes/simplify.h"

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/AggressiveInstCombine/AggressiveInstCombine.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/BDCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/NewGVN.h>
#include <llvm/Transforms/Scalar/Reassociate.h>
#include <llvm/Transforms/Scalar/SCCP.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>

#include <vector>

#include "hls/compiler/passes/drop_hints.h"
#include "hls/compiler/passes/fold_merged_branches.h"
#include "hls/compiler/passes/promote_locals.h"
#include "hls/compiler/passes/select_joins.h"
#include "hls/compiler/passes/settle_counters.h"
#include "hls/compiler/passes/split_chosen_loads.h"
#include "hls/compiler/support/pass_trace.h"

namespace systole::compiler {
namespace {

/// One set of analyses and the passes to run over one function or module.
class Runner {
 public:
  Runner() {
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

 private:
  llvm::PassBuilder builder_;
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager components_;
  llvm::ModuleAnalysisManager modules_;
};

llvm::SimplifyCFGOptions keep_loops() {
  return llvm::SimplifyCFGOptions().needCanonicalLoops(true).convertSwitchRangeToICmp(true);
}

void add_loop_shape(llvm::FunctionPassManager& passes) {
  passes.addPass(llvm::LoopSimplifyPass());
  passes.addPass(llvm::LCSSAPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopRotatePass(true, false)));
}

}  // namespace

void inline_marked(llvm::Module& module) {
  Runner runner;
  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass(/*InsertLifetime=*/false));
  runner.run(passes, module);
}

void tidy(llvm::Function& function) {
  Runner runner;
  llvm::FunctionPassManager passes;
  passes.addPass(DropHints());
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(PromoteLocals());
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::SCCPPass());
  passes.addPass(SplitChosenLoads());
  passes.addPass(llvm::SimplifyCFGPass(keep_loops()));
  passes.addPass(SplitChosenLoads());
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(PromoteLocals());
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::ADCEPass());
  add_loop_shape(passes);
  runner.run(passes, function);
}

void promote_locals(llvm::Function& function) {
  Runner runner;
  llvm::FunctionPassManager passes;
  passes.addPass(DropHints());
  passes.addPass(
      PromoteLocals());  // first, because SROA takes a counter apart that is read in part
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(PromoteLocals());
  passes.addPass(llvm::EarlyCSEPass(true));
  add_loop_shape(passes);
  runner.run(passes, function);
}

void unroll_marked(llvm::Function& function) {
  Runner runner;
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(
      /*OptLevel=*/2, /*OnlyWhenForced=*/true, /*ForgetSCEV=*/true)));
  runner.run(passes, function);
}

void combine(llvm::Function& function) {
  Runner runner;
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass(keep_loops()));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::SCCPPass());
  passes.addPass(llvm::InstCombinePass());
  add_loop_shape(passes);
  runner.run(passes, function);
}

void simplify(llvm::Function& function) {
  Runner runner;
  llvm::FunctionPassManager passes;
  for (int round = 0; round < 2; ++round) {
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::SimplifyCFGPass(keep_loops()));
    passes.addPass(llvm::EarlyCSEPass(true));
    passes.addPass(llvm::AggressiveInstCombinePass());
    passes.addPass(llvm::SCCPPass());
    passes.addPass(llvm::BDCEPass());
    passes.addPass(llvm::ADCEPass());
  }
  add_loop_shape(passes);
  // Only here, where no pointer is left: it would rewrite typed addresses as byte offsets.
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::IndVarSimplifyPass()));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass(keep_loops()));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::ADCEPass());
  runner.run(passes, function);
  // Last, because LLVM makes a switch of a chain of tests.
  lower_switches(function);
  select_joins(function);
  after_pass("select_joins", function);
  Runner again;
  llvm::FunctionPassManager finish;
  finish.addPass(llvm::InstCombinePass());
  finish.addPass(llvm::SimplifyCFGPass(keep_loops()));
  finish.addPass(llvm::EarlyCSEPass(true));
  finish.addPass(FoldMergedBranches());
  finish.addPass(llvm::ADCEPass());
  finish.addPass(SettleCounters());
  finish.addPass(llvm::LowerSwitchPass());
  again.run(finish, function);
  select_joins(function);
}

void lower_switches(llvm::Function& function) {
  Runner runner;
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::LowerSwitchPass());
  runner.run(passes, function);
}

void clean_up(llvm::Function& function) {
  Runner runner;
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::InstSimplifyPass());
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::ADCEPass());
  runner.run(passes, function);
}

void configure_llvm() {
  const std::vector<const char*> words = {"hlsc",
                                          "-two-entry-phi-node-folding-threshold=1000000",
                                          "-phi-node-folding-threshold=1000000",
                                          "-speculate-one-expensive-inst=true",
                                          "-max-speculation-depth=1000",
                                          "-pragma-unroll-threshold=100000000",
                                          "-unroll-max-upperbound=100000",
                                          "-instcombine-max-iterations=10"};
  llvm::cl::ParseCommandLineOptions(static_cast<int>(words.size()), words.data(), "",
                                    &llvm::nulls());
}

}  // namespace systole::compiler
