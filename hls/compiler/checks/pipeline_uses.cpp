#include "hls/compiler/checks/pipeline_uses.h"

#include <fmt/format.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

#include <map>
#include <vector>

#include "hls/compiler/analyses/every_path.h"
#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

constexpr const char* kOnce =
    "'{}' must be clocked exactly once per clock, outside of conditions{}; make its arguments "
    "conditional instead";

class PipelineUses {
 public:
  explicit PipelineUses(const LoweredModule& module)
      : module_(module),
        function_(*module.clock),
        names_(llvm::Triple(program().getTargetTriple())),
        library_(names_),
        assumptions_(function_),
        dominators_(function_),
        loops_(dominators_),
        evolution_(function_, library_, assumptions_, dominators_, loops_) {}

  void check() {
    std::map<int, std::vector<llvm::CallInst*>> clocks;
    std::map<int, std::vector<llvm::CallInst*>> outputs;
    for (llvm::Instruction& instruction : llvm::instructions(function_)) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (is_operation(instruction, Operation::kPipelineClock)) {
        clocks[static_cast<int>(constant_argument(*call, 0))].push_back(call);
      } else if (is_operation(instruction, Operation::kPipelineOutput)) {
        outputs[static_cast<int>(constant_argument(*call, 0))].push_back(call);
      }
    }
    for (int leaf = 0; leaf < static_cast<int>(module_.state.size()); ++leaf) {
      const Leaf& one = module_.state[leaf];
      if (one.kind != LeafKind::kPipeline) continue;
      if (clocks[leaf].empty()) {
        throw Refusal(
            fmt::format("{}: pipeline '{}' is never clocked; call its clock() once per "
                        "clock, or remove it",
                        one.position, one.name));
      }
      if (clocks[leaf].size() > 1) refuse(*clocks[leaf][1], message(one));
      if (one.elements() == 1) {
        check_single(*clocks[leaf][0], outputs[leaf], one);
      } else {
        check_lanes(*clocks[leaf][0], one);
      }
    }
  }

 private:
  const llvm::Module& program() const { return *function_.getParent(); }

  static std::string message(const Leaf& leaf) {
    return fmt::format(kOnce, leaf.name, leaf.elements() == 1 ? " and loops" : "");
  }

  bool always(const llvm::BasicBlock* block) const {
    return every_path_passes(*block, function_.getEntryBlock());
  }

  void check_single(const llvm::CallInst& clock, const std::vector<llvm::CallInst*>& outputs,
                    const Leaf& leaf) const {
    if (loops_.getLoopFor(clock.getParent()) || !always(clock.getParent())) {
      refuse(clock, message(leaf));
    }
    for (const llvm::CallInst* output : outputs) {
      if (llvm::isPotentiallyReachable(&clock, output, nullptr, &dominators_, &loops_)) {
        refuse(*output, fmt::format("the output of '{}' is read after it was clocked; read it "
                                    "before",
                                    leaf.name));
      }
    }
  }

  /// One loop, under no condition, whose iterations are the lanes 0 .. n-1 in either order.
  void check_lanes(llvm::CallInst& clock, const Leaf& leaf) {
    llvm::Loop* loop = loops_.getLoopFor(clock.getParent());
    const bool plain = loop && !loop->getParentLoop() && loop->getLoopLatch() &&
                       always(loop->getHeader()) &&
                       dominators_.dominates(clock.getParent(), loop->getLoopLatch());
    if (plain) {
      const auto* lane =
          llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution_.getSCEV(clock.getArgOperand(1)));
      const auto lanes = static_cast<std::uint64_t>(leaf.elements());
      if (lane && lane->isAffine() && evolution_.getSmallConstantTripCount(loop) == lanes) {
        const auto* start = llvm::dyn_cast<llvm::SCEVConstant>(lane->getStart());
        const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(lane->getStepRecurrence(evolution_));
        if (start && step &&
            ((start->isZero() && step->isOne()) ||
             (start->getAPInt() == lanes - 1 && step->getAPInt().isAllOnes()))) {
          return;
        }
      }
    }
    refuse(clock,
           fmt::format("each of the {} lanes of '{}' must be clocked exactly once per clock: "
                       "write one loop over all of them, outside of conditions",
                       leaf.elements(), leaf.name));
  }

  const LoweredModule& module_;
  llvm::Function& function_;
  llvm::TargetLibraryInfoImpl names_;
  llvm::TargetLibraryInfo library_;
  llvm::AssumptionCache assumptions_;
  llvm::DominatorTree dominators_;
  llvm::LoopInfo loops_;
  llvm::ScalarEvolution evolution_;
};

}  // namespace

void check_pipeline_uses(const LoweredModule& module) { PipelineUses(module).check(); }

}  // namespace systole::compiler
