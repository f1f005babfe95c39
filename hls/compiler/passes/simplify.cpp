#include "hls/compiler/passes/simplify.h"

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/AggressiveInstCombine/AggressiveInstCombine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/BDCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
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
#include "hls/compiler/passes/llvm_passes.h"
#include "hls/compiler/passes/promote_locals.h"
#include "hls/compiler/passes/select_joins.h"
#include "hls/compiler/passes/settle_counters.h"
#include "hls/compiler/passes/split_chosen_loads.h"

namespace systole::compiler {
namespace {

llvm::SimplifyCFGOptions keep_loops() {
  return llvm::SimplifyCFGOptions().needCanonicalLoops(true).convertSwitchRangeToICmp(true);
}

void add_loop_shape(llvm::FunctionPassManager& passes) {
  passes.addPass(llvm::LoopSimplifyPass());
  passes.addPass(llvm::LCSSAPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopRotatePass(true, false)));
}

}  // namespace

void tidy(llvm::Function& function) {
  LlvmPasses runner;
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
  LlvmPasses runner;
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

void combine(llvm::Function& function) {
  LlvmPasses runner;
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
  combine_values(function);
  select_joins(function);
  settle_choices(function);
}

void combine_values(llvm::Function& function) {
  LlvmPasses runner;
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
}

void settle_choices(llvm::Function& function) {
  LlvmPasses runner;
  llvm::FunctionPassManager finish;
  finish.addPass(llvm::InstCombinePass());
  finish.addPass(llvm::SimplifyCFGPass(keep_loops()));
  finish.addPass(llvm::EarlyCSEPass(true));
  finish.addPass(FoldMergedBranches());
  finish.addPass(llvm::ADCEPass());
  finish.addPass(SettleCounters());
  finish.addPass(llvm::LowerSwitchPass());
  runner.run(finish, function);
  select_joins(function);
}

void lower_switches(llvm::Function& function) {
  LlvmPasses runner;
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::LowerSwitchPass());
  runner.run(passes, function);
}

void clean_up(llvm::Function& function) {
  LlvmPasses runner;
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
