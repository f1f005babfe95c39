#include "hls/compiler/passes/unroll.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Scalar/LoopDeletion.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <algorithm>
#include <set>
#include <vector>

#include "hls/compiler/analyses/address.h"
#include "hls/compiler/checks/unroll_limit.h"
#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/passes/llvm_passes.h"
#include "hls/compiler/passes/make_sequential.h"
#include "hls/compiler/passes/simplify.h"
#include "hls/compiler/support/rounds.h"

namespace systole::compiler {
namespace {

/// What loops that stay loops may touch.
struct LoopState {
  const llvm::Value* self = nullptr;  ///< null if every loop must be unrolled
  const std::vector<Leaf>* leaves = nullptr;
  std::set<int> single;  ///< separate registers, since clock() addresses each by a constant
};

bool clocks_pipelines(const llvm::Loop& loop) {
  return std::ranges::any_of(loop.blocks(), [](const llvm::BasicBlock* block) {
    return std::ranges::any_of(*block, [](const llvm::Instruction& instruction) {
      return is_operation(instruction, Operation::kPipelineClock);
    });
  });
}

/// Whether a loop may keep this access: to an array of registers, or to the same port every time.
/// A register that every iteration writes is handed from one to the next. A loop over lanes stays
/// one, whatever ports, tables and local arrays feed them.
bool may_stay_in_loop(const llvm::Value* pointer, const llvm::Instruction& access,
                      const LoopState& state, bool feeds_lanes) {
  const llvm::Value* base = llvm::getUnderlyingObject(pointer, 0);
  const llvm::DataLayout& layout = access.getModule()->getDataLayout();
  if (base == state.self) {
    llvm::APInt place(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
    if (llvm::isa<llvm::StoreInst>(access) &&
        pointer->stripAndAccumulateConstantOffsets(layout, place, true) == base) {
      return false;
    }
    return state.single.count(leaf_of_pointer(const_cast<llvm::Value&>(*pointer), *state.self,
                                              *state.leaves, layout)) == 0;
  }
  llvm::APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  if (feeds_lanes && llvm::isa<llvm::LoadInst>(access)) return true;
  return llvm::isa<llvm::LoadInst>(access) && llvm::isa<llvm::Argument>(base) &&
         pointer->stripAndAccumulateConstantOffsets(layout, offset, true) == base;
}

/// A loop stays a loop when all that it touches is the module's own registers; one that builds or
/// reads ports and local values is unrolled, and so is one that hands a value from one
/// iteration to the next, that `break` leaves, or that is under `#pragma unroll`.
bool must_unroll(const llvm::Loop& loop, const LoopState& state) {
  if (!loop.getExitingBlock()) return true;
  // Nothing comes between the two tests of a loop that only a `break` leaves early.
  const auto* exit = llvm::dyn_cast<llvm::BranchInst>(loop.getExitingBlock()->getTerminator());
  if (exit && exit->isConditional() && !llvm::isa<llvm::CmpInst>(exit->getCondition())) return true;
  const auto phis = loop.getHeader()->phis();
  if (std::distance(phis.begin(), phis.end()) > 1) return true;
  if (llvm::findStringMetadataForLoop(&loop, "llvm.loop.unroll.enable") ||
      llvm::findStringMetadataForLoop(&loop, "llvm.loop.unroll.full")) {
    return true;
  }
  const bool feeds_lanes = clocks_pipelines(loop);
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      if (const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction)) {
        if (!may_stay_in_loop(pointer, instruction, state, feeds_lanes)) return true;
      }
      if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
        const llvm::Function* callee = call->getCalledFunction();
        if (!callee || callee->isIntrinsic() || is_any_operation(*call)) continue;
        return true;
      }
    }
  }
  return false;
}

/// Whether an inner loop's trip count depends on the loop around it: it can stay a loop only once
/// that one is unrolled.
bool sets_inner_bounds(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  for (const llvm::Loop* inner : loop.getSubLoops()) {
    const llvm::SCEV* taken = evolution.getBackedgeTakenCount(inner);
    if (!llvm::isa<llvm::SCEVCouldNotCompute, llvm::SCEVConstant>(taken) &&
        !evolution.isLoopInvariant(taken, &loop)) {
      return true;
    }
  }
  return false;
}

/// Whether this loop is the next to unroll: it must be unrolled, and no loop inside it must.
bool unrolls_next(const llvm::Loop& loop, const LoopState& state,
                  llvm::ScalarEvolution& evolution) {
  const auto must = [&](const llvm::Loop& one) {
    return !state.self || must_unroll(one, state) || sets_inner_bounds(one, evolution);
  };
  if (!must(loop)) return false;
  for (const llvm::Loop* inner : loop.getLoopsInPreorder()) {
    if (inner != &loop && must(*inner)) return false;
  }
  return true;
}

/// A function's size, which successful unrolling changes.
struct Extent {
  std::size_t loops = 0;
  std::size_t instructions = 0;
  bool operator==(const Extent&) const = default;
};

Extent extent_of(llvm::Function& function) {
  const llvm::DominatorTree dominators(function);
  return {llvm::LoopInfo(dominators).getLoopsInPreorder().size(), function.getInstructionCount()};
}

/// Unrolls loops that must be, inner ones first, or those `levels` outside them.
Extent unroll_once(llvm::Function& function, const LoopState& state, int levels) {
  {
    llvm::FunctionAnalysisManager analyses;
    llvm::PassBuilder().registerFunctionAnalyses(analyses);
    auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
    for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
      if (!unrolls_next(*loop, state, evolution)) continue;
      llvm::Loop* which = loop;
      for (int level = 0; which && level < levels; ++level) which = which->getParentLoop();
      if (!which) continue;
      check_unroll_limit(*which, evolution);
      mark_for_unrolling(*which, evolution);
    }
  }
  unroll_marked(function);
  tidy(function);
  return extent_of(function);
}

/// Unrolls loops that must be, from the inside out, until nothing changes. If the bounds of one
/// depend on a loop around it, unrolls that loop first.
void unroll_where_needed(llvm::Function& function, const LoopState& state) {
  constexpr int kMostLevels = 8;
  Extent before;
  Rounds rounds("unroll", function);
  for (int levels = 0;; rounds.next()) {
    const Extent left = unroll_once(function, state, levels);
    levels = left == before ? levels + 1 : 0;
    if (left.loops == 0 || levels > kMostLevels) return;
    before = left;
  }
}

/// The registers that a lowered clock() holds as values rather than as an array.
std::set<int> single_registers(const llvm::Function& clock) {
  std::set<int> leaves;
  for (const llvm::Instruction& instruction : llvm::instructions(clock)) {
    if (is_operation(instruction, {Operation::kReadRegister, Operation::kWriteRegister})) {
      leaves.insert(leaf_of(instruction));
    }
  }
  return leaves;
}

bool contains_suspension(const llvm::Loop& loop) {
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      if (is_suspension(instruction)) return true;
    }
  }
  return false;
}

bool is_to_be_unrolled(const llvm::Loop& loop) {
  return llvm::findStringMetadataForLoop(&loop, "llvm.loop.unroll.enable") ||
         llvm::findStringMetadataForLoop(&loop, "llvm.loop.unroll.full");
}

}  // namespace

void unroll_edge(llvm::Function& edge, const LoweredModule& module) {
  LoopState state{
      .self = edge.getArg(edge.hasStructRetAttr() ? 1 : 0), .leaves = &module.state, .single = {}};
  if (module.reset == &edge) state.single = single_registers(*module.clock);
  unroll_where_needed(edge, state);
}

void unroll_all(llvm::Function& function) { unroll_where_needed(function, {}); }

void unroll_between_waits(llvm::Function& function) {
  constexpr int kTries = 2;  // a count may show only when other loops are gone and the rest is tidy
  std::vector<llvm::WeakVH> tried;  // a header that is gone leaves its place in memory to others
  for (int round = 0; round < 64; ++round) {
    bool found = false;
    {
      llvm::FunctionAnalysisManager analyses;
      llvm::PassBuilder().registerFunctionAnalyses(analyses);
      auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
      auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
      for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
        if (!loop->isInnermost()) continue;
        if (contains_suspension(*loop)) {
          if (!is_to_be_unrolled(*loop)) continue;
          allow_copies(*loop);
        }
        if (llvm::count(tried, loop->getHeader()) >= kTries) continue;
        tried.emplace_back(loop->getHeader());
        check_unroll_limit(*loop, evolution);
        mark_for_unrolling(*loop, evolution);
        found = true;
      }
    }
    if (!found) return;
    unroll_marked(function);
    forbid_copies(function);
    tidy(function);
  }
}

/// The kernel's own joins of values that were not set.
static void tell_apart_undefined_joins(llvm::Function& function) {
  for (llvm::BasicBlock& block : function) {
    for (llvm::PHINode& phi : block.phis()) {
      for (llvm::Use& value : phi.incoming_values()) {
        if (llvm::isa<llvm::PoisonValue>(value)) value.set(llvm::UndefValue::get(phi.getType()));
      }
    }
  }
}

/// What LLVM's unrolling joins for a way that is never taken: the copies of a loop's body never run
/// where there is one turn, and then the rest of the turns has its last value.
static void settle_joins(llvm::Function& function) {
  for (llvm::BasicBlock& block : function) {
    for (llvm::PHINode& phi : block.phis()) {
      for (llvm::Use& value : phi.incoming_values()) {
        if (llvm::isa<llvm::PoisonValue>(value)) {
          value.set(llvm::Constant::getNullValue(phi.getType()));
        }
      }
    }
  }
}

void mark_for_unrolling(llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
  loop.getExitingBlocks(exiting);
  const bool counted = std::ranges::any_of(exiting, [&](llvm::BasicBlock* block) {
    return evolution.getSmallConstantTripCount(&loop, block) != 0;
  });
  const unsigned most = evolution.getSmallConstantMaxTripCount(&loop);
  if (!counted && most > 1) {
    llvm::addStringMetadataToLoop(&loop, "llvm.loop.unroll.count", most);
  } else {
    llvm::addStringMetadataToLoop(&loop, "llvm.loop.unroll.full", 1);
  }
}

void unroll_marked(llvm::Function& function) {
  tell_apart_undefined_joins(function);
  LlvmPasses runner;
  llvm::FunctionPassManager passes;
  // A loop that does nothing but leave early has no count to be unrolled by.
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopDeletionPass()));
  passes.addPass(llvm::LoopUnrollPass(
      llvm::LoopUnrollOptions(/*OptLevel=*/2, /*OnlyWhenForced=*/true, /*ForgetSCEV=*/true)
          .setUpperBound(true)));
  runner.run(passes, function);
  settle_joins(function);
}

}  // namespace systole::compiler
