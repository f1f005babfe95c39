#include "hls/compiler/passes/simplify.h"

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/BDCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/SCCP.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include <utility>
#include <vector>

#include "hls/compiler/passes/compare_places.h"
#include "hls/compiler/passes/drop_hints.h"
#include "hls/compiler/passes/fold_merged_branches.h"
#include "hls/compiler/passes/index_choices.h"
#include "hls/compiler/passes/index_pointers.h"
#include "hls/compiler/passes/join_ways_back.h"
#include "hls/compiler/passes/llvm_passes.h"
#include "hls/compiler/passes/name_results.h"
#include "hls/compiler/passes/plain_combine.h"
#include "hls/compiler/passes/promote_locals.h"
#include "hls/compiler/passes/select_joins.h"
#include "hls/compiler/passes/settle_counters.h"
#include "hls/compiler/passes/split_chosen_loads.h"
#include "hls/compiler/passes/switches_to_tests.h"

namespace systole::compiler {
namespace {

llvm::SimplifyCFGOptions keep_branches() {
  return llvm::SimplifyCFGOptions()
      .needCanonicalLoops(true)
      .setSimplifyCondBranch(false)
      .speculateBlocks(false);
}

void add_loop_shape(llvm::FunctionPassManager& passes) {
  passes.addPass(JoinWaysBack());
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
  // Before EarlyCSE takes an array's end for the member that follows it.
  passes.addPass(IndexPointers());
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(IndexPointers());
  passes.addPass(IndexChoices());
  passes.addPass(ComparePlaces());
  passes.addPass(llvm::SCCPPass());
  passes.addPass(SplitChosenLoads());
  passes.addPass(llvm::SimplifyCFGPass(keep_branches()));
  passes.addPass(SplitChosenLoads());
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(PromoteLocals());
  passes.addPass(SplitChosenLoads());
  passes.addPass(SelectPointers());  // the rest: loads that may move to neither arm
  passes.addPass(SplitChosenLoads());
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(PromoteLocals());
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::ADCEPass());
  passes.addPass(PromoteLocals());  // locals whose last reads were dead
  add_loop_shape(passes);
  passes.addPass(IndexPointers());
  passes.addPass(ComparePlaces());
  runner.run(passes, function);
  keep_names(function);
}

void promote_locals(llvm::Function& function) {
  LlvmPasses runner;
  llvm::FunctionPassManager passes;
  passes.addPass(DropHints());
  passes.addPass(PromoteLocals());  // first, because SROA splits counters that are partly read
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(PromoteLocals());
  passes.addPass(llvm::EarlyCSEPass(true));
  add_loop_shape(passes);
  runner.run(passes, function);
}

void combine(llvm::Function& function) {
  LlvmPasses runner;
  llvm::FunctionPassManager passes;
  passes.addPass(PlainCombine());  // joins the halves of wide values
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions().convertSwitchRangeToICmp(true)));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::SCCPPass());
  passes.addPass(llvm::InstCombinePass());
  add_loop_shape(passes);
  runner.run(passes, function);
}

void propagate_constants(llvm::Function& function) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SCCPPass());
  LlvmPasses().run(passes, function);
}

void simplify(llvm::Function& function) {
  combine_values(function);
  select_joins(function);
  settle_choices(function);
}

void combine_values(llvm::Function& function) {
  keep_names(function);
  LlvmPasses runner;
  llvm::FunctionPassManager passes;
  passes.addPass(SwitchesToTests());
  for (int round = 0; round < 2; ++round) {
    passes.addPass(PlainCombine());
    passes.addPass(llvm::SimplifyCFGPass(keep_branches()));
    passes.addPass(llvm::EarlyCSEPass(true));
    passes.addPass(llvm::SCCPPass());
    passes.addPass(llvm::BDCEPass());
    passes.addPass(llvm::ADCEPass());
  }
  add_loop_shape(passes);
  // Only here, with no pointer left: it would rewrite typed addresses as byte offsets.
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::IndVarSimplifyPass()));
  passes.addPass(PlainCombine());
  passes.addPass(llvm::SimplifyCFGPass(keep_branches()));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::ADCEPass());
  runner.run(passes, function);
}

void settle_choices(llvm::Function& function) {
  LlvmPasses runner;
  llvm::FunctionPassManager finish;
  finish.addPass(PlainCombine());
  finish.addPass(llvm::SimplifyCFGPass(keep_branches()));
  finish.addPass(llvm::EarlyCSEPass(true));
  finish.addPass(FoldMergedBranches());
  finish.addPass(llvm::ADCEPass());
  finish.addPass(SettleCounters());
  runner.run(finish, function);
  select_joins(function);
  llvm::FunctionPassManager last;
  last.addPass(PlainCombine());
  last.addPass(llvm::EarlyCSEPass(true));
  LlvmPasses().run(last, function);
}

void lower_switches(llvm::Function& function) {
  llvm::FunctionPassManager passes;
  passes.addPass(SwitchesToTests());
  LlvmPasses().run(passes, function);
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
  static bool configured = false;
  if (std::exchange(configured, true)) return;
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
