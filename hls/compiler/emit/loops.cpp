#include "hls/compiler/emit/loops.h"

#include <fmt/format.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Passes/PassBuilder.h>

#include <algorithm>
#include <set>
#include <vector>

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
  llvm::DominatorTree& dominators() {
    return functions.getResult<llvm::DominatorTreeAnalysis>(*function);
  }
  llvm::PostDominatorTree& post_dominators() {
    return functions.getResult<llvm::PostDominatorTreeAnalysis>(*function);
  }
};

/// The counter's start value if all entries agree, or null.
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
             "give it a constant bound, and leave it earlier with break");
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
               "a loop over registers carries nothing from one iteration to the next but its "
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

bool ControlFlow::dominates(const llvm::BasicBlock* above, const llvm::BasicBlock* below) const {
  return analyses_->dominators().dominates(above, below);
}

bool ControlFlow::is_known(const llvm::Value& condition, bool value,
                           const llvm::BasicBlock* block) const {
  const llvm::DominatorTree& dominators = analyses_->dominators();
  for (const auto* node = dominators.getNode(block)->getIDom(); node; node = node->getIDom()) {
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(node->getBlock()->getTerminator());
    if (!branch || !branch->isConditional() || branch->getCondition() != &condition) continue;
    const llvm::BasicBlock* way = branch->getSuccessor(value ? 0 : 1);
    if (dominators.dominates(llvm::BasicBlockEdge(node->getBlock(), way), block)) return true;
  }
  return false;
}

/// The blocks on the paths from `block`, included, to `join`.
static std::set<const llvm::BasicBlock*> blocks_between(const llvm::BasicBlock* block,
                                                        const llvm::BasicBlock* join) {
  std::set<const llvm::BasicBlock*> found;
  std::vector<const llvm::BasicBlock*> left{block};
  while (!left.empty()) {
    const llvm::BasicBlock* one = left.back();
    left.pop_back();
    if (one == join || !found.insert(one).second) continue;
    left.insert(left.end(), llvm::succ_begin(one), llvm::succ_end(one));
  }
  return found;
}

const llvm::Value* ControlFlow::value_of_all(const llvm::PHINode& join,
                                             const llvm::BasicBlock* block) const {
  const std::set<const llvm::BasicBlock*> below = blocks_between(block, join.getParent());
  std::vector<const llvm::BasicBlock*> ways;
  const llvm::Value* value = nullptr;
  for (const llvm::BasicBlock* from : join.blocks()) {
    if (below.count(from) == 0) continue;
    // A block that other paths also reach may have another value.
    if (!dominates(block, from)) return nullptr;
    ways.push_back(from);
    if (!value || llvm::isa<llvm::Constant>(value)) value = join.getIncomingValueForBlock(from);
  }
  const auto is_same = [&](const llvm::Value& candidate) {
    return std::all_of(ways.begin(), ways.end(), [&](const llvm::BasicBlock* from) {
      const llvm::Value* one = join.getIncomingValueForBlock(from);
      const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(one);
      return one == &candidate || (constant && constant->getType()->isIntegerTy(1) &&
                                   is_known(candidate, constant->isOne(), from));
    });
  };
  if (!value || is_same(*value)) return value;
  const llvm::Value* condition =
      llvm::cast<llvm::BranchInst>(block->getTerminator())->getCondition();
  return is_same(*condition) ? condition : nullptr;
}

bool ControlFlow::in_loop(const llvm::BasicBlock* block) const {
  return analyses_->loop_info().getLoopFor(block) != nullptr;
}

bool ControlFlow::always_runs(const llvm::BasicBlock* block) const {
  return !in_loop(block) &&
         analyses_->post_dominators().dominates(block, &analyses_->function->getEntryBlock());
}

std::string head_of(const CountedLoop& loop, const std::string& counter) {
  const std::int64_t end = loop.start + loop.step * loop.trips;
  if (loop.start < 0 || end - loop.step < 0) {
    refuse(loop.header->front(), "a loop over registers counts from 0 or above, or down to 0");
  }
  if (loop.step > 0) {
    const std::string step =
        loop.step == 1 ? counter + "++" : fmt::format("{} += {}", counter, loop.step);
    return fmt::format("for (int unsigned {0} = {1}; {0} < {2}; {3})", counter, loop.start, end,
                       step);
  }
  const std::string step =
      loop.step == -1 ? counter + "--" : fmt::format("{} -= {}", counter, -loop.step);
  // An unsigned counter is never below 0.
  return end < 0 ? fmt::format("for (int {0} = {1}; {0} >= 0; {2})", counter, loop.start, step)
                 : fmt::format("for (int unsigned {0} = {1}; {0} > {2}; {3})", counter, loop.start,
                               end, step);
}

}  // namespace systole::compiler
