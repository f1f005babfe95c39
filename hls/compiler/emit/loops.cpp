#include "hls/compiler/emit/loops.h"

#include <fmt/format.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Passes/PassBuilder.h>

#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {

struct ControlFlow::Analyses {
  llvm::PassBuilder builder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::Function* function = nullptr;

  explicit Analyses(llvm::Function& one) : function(&one) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }
  llvm::LoopInfo& loop_info() { return functions.getResult<llvm::LoopAnalysis>(*function); }
  llvm::PostDominatorTree& post_dominators() {
    return functions.getResult<llvm::PostDominatorTreeAnalysis>(*function);
  }
};

/// What every way into the loop starts the counter with, or null.
static const llvm::ConstantInt* start_of(const llvm::PHINode& counter, const llvm::Loop& loop) {
  const llvm::Value* start = nullptr;
  for (unsigned i = 0; i < counter.getNumIncomingValues(); ++i) {
    if (loop.contains(counter.getIncomingBlock(i))) continue;
    if (start && start != counter.getIncomingValue(i)) return nullptr;
    start = counter.getIncomingValue(i);
  }
  return llvm::dyn_cast_or_null<llvm::ConstantInt>(start);
}

ControlFlow::ControlFlow(llvm::Function& function)
    : analyses_(std::make_unique<Analyses>(function)) {
  auto& evolution = analyses_->functions.getResult<llvm::ScalarEvolutionAnalysis>(function);
  for (llvm::Loop* loop : analyses_->loop_info().getLoopsInPreorder()) {
    CountedLoop counted;
    counted.header = loop->getHeader();
    counted.latch = loop->getLoopLatch();
    counted.exit = loop->getExitBlock();
    const llvm::Instruction& at = *counted.header->getTerminator();
    counted.trips = evolution.getSmallConstantTripCount(loop);
    if (!counted.latch || !counted.exit || loop->getExitingBlock() != counted.latch ||
        counted.trips == 0) {
      refuse(at,
             "this loop can run without a clock for a number of times that is not constant; "
             "give it a constant bound and no break");
    }
    for (llvm::PHINode& phi : counted.header->phis()) {
      const llvm::ConstantInt* start = start_of(phi, *loop);
      const auto* next =
          llvm::dyn_cast<llvm::BinaryOperator>(phi.getIncomingValueForBlock(counted.latch));
      const auto* step =
          next && next->getOpcode() == llvm::Instruction::Add && next->getOperand(0) == &phi
              ? llvm::dyn_cast<llvm::ConstantInt>(next->getOperand(1))
              : nullptr;
      if (!start || !step || counted.variable) {
        refuse(phi,
               "a loop over registers carries nothing from one turn to the next but its "
               "counter; add #pragma unroll, or keep the value in a register array");
      }
      counted.variable = &phi;
      counted.start = start->getSExtValue();
      counted.step = step->getSExtValue();
    }
    if (!counted.variable) refuse(at, "this loop has no counter; use for (int i = ...)");
    loops_[counted.header] = counted;
  }
}

ControlFlow::~ControlFlow() = default;

const CountedLoop* ControlFlow::loop_at(const llvm::BasicBlock* block) const {
  const auto found = loops_.find(block);
  return found == loops_.end() ? nullptr : &found->second;
}

llvm::BasicBlock* ControlFlow::join_of(const llvm::BasicBlock* block) const {
  const auto* node = analyses_->post_dominators().getNode(const_cast<llvm::BasicBlock*>(block));
  return node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
}

bool ControlFlow::in_loop(const llvm::BasicBlock* block) const {
  return analyses_->loop_info().getLoopFor(block) != nullptr;
}

bool ControlFlow::always_runs(const llvm::BasicBlock* block) const {
  return !in_loop(block) &&
         analyses_->post_dominators().dominates(block, &analyses_->function->getEntryBlock());
}

}  // namespace systole::compiler
