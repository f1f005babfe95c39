#include "hls/compiler/checks/constant_indices.h"

#include <fmt/format.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "hls/compiler/checks/walked_elements.h"
#include "hls/compiler/checks/wire_drivers.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/passes/exact_widths.h"
#include "hls/compiler/passes/inline_marked.h"
#include "hls/compiler/passes/simplify.h"
#include "hls/compiler/passes/unroll.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/rounds.h"

namespace systole::compiler {
namespace {

/// Only small loops are unrolled here; larger ones stay loops in hardware, and lower_accesses
/// proves their indices.
constexpr unsigned kMostTurns = 4096;
constexpr std::size_t kMostInstructions = 200'000;
constexpr std::size_t kMostOfTrusted = 10'000;  ///< where loops stay loops, most are not small

bool is_trap(const llvm::BasicBlock& block) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&block.front());
  return call && call->getIntrinsicID() == llvm::Intrinsic::ubsantrap;
}

/// Calls visit(branch, the block for an index in range) for every test.
template <typename Visit>
void for_each_test(llvm::Function& function, Visit visit) {
  for (llvm::BasicBlock& block : function) {
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (!branch || !branch->isConditional() || !is_trap(*branch->getSuccessor(1))) continue;
    visit(*branch, *branch->getSuccessor(0));
  }
}

void go_on(llvm::BranchInst& branch, llvm::BasicBlock& next) {
  llvm::BranchInst::Create(&next, branch.getIterator())->setDebugLoc(branch.getDebugLoc());
  branch.eraseFromParent();
}

/// before  br i1 (icmp ult i64 %index, 4), label %next, label %trap
/// after   call void @hls.check(4, %index)    br label %next
void mark_tests(llvm::Function& function) {
  for_each_test(function, [](llvm::BranchInst& branch, llvm::BasicBlock& next) {
    llvm::IRBuilder<> builder(&branch);
    const auto* test = llvm::dyn_cast<llvm::ICmpInst>(branch.getCondition());
    const auto* known = llvm::dyn_cast<llvm::ConstantInt>(branch.getCondition());
    const auto* count = test ? llvm::dyn_cast<llvm::ConstantInt>(test->getOperand(1)) : nullptr;
    if (count) {
      // clang allows a reference to the end (<=), but an element of a class is read by reference.
      emit_operation(builder, Operation::kCheck, nullptr,
                     {builder.getInt64(count->getZExtValue()),
                      builder.CreateZExt(test->getOperand(0), builder.getInt64Ty())});
    } else if (known && known->isZero()) {
      emit_operation(builder, Operation::kCheck, nullptr,
                     {builder.getInt64(0), builder.getInt64(0)});
    }
    go_on(branch, next);
  });
}

class Indices {
 public:
  Indices(llvm::Function& function, EarlyExits exits) : function_(function), exits_(exits) {}

  void check() {
    test_walked_elements(function_);
    tidy(function_);
    Rounds rounds("check_constant_indices", function_);
    for (refuse_constants(); unroll_one(); refuse_constants()) rounds.next();
  }

 private:
  std::vector<llvm::CallInst*> tests() {
    std::vector<llvm::CallInst*> found;
    for (llvm::Instruction& instruction : llvm::instructions(function_)) {
      if (is_operation(instruction, Operation::kCheck)) {
        found.push_back(llvm::cast<llvm::CallInst>(&instruction));
      }
    }
    return found;
  }

  /// Refuses an index that is known to be out of range.
  void refuse_constants() {
    while (const llvm::CallInst* wrong = drop_right_constants()) {
      if (is_settled_) {
        refuse_index(*wrong, llvm::cast<llvm::ConstantInt>(wrong->getArgOperand(1))->getValue(),
                     constant_argument(*wrong, 0));
      }
      settle();
    }
  }

  /// Simplifies until nothing changes: a guard may be known later than the index behind it.
  void settle() {
    Rounds rounds("check_constant_indices", function_);
    for (unsigned before = 0; function_.getInstructionCount() != before; rounds.next()) {
      before = function_.getInstructionCount();
      tidy(function_);
    }
    is_settled_ = true;
  }

  /// The first test of a constant that is out of range; null if there is none.
  const llvm::CallInst* drop_right_constants() {
    for (llvm::CallInst* test : tests()) {
      const auto* index = llvm::dyn_cast<llvm::ConstantInt>(test->getArgOperand(1));
      if (!index) continue;
      const auto count = static_cast<std::uint64_t>(constant_argument(*test, 0));
      if (index->getValue().uge(count)) return test;
      test->eraseFromParent();
    }
    return nullptr;
  }

  [[noreturn]] static void refuse_index(const llvm::CallInst& test, const llvm::APInt& index,

                                        std::int64_t count) {
    refuse(test, count == 0
                     ? std::string("this index is past the end of its array; stay inside, or make "
                                   "the array longer")
                     : fmt::format("this index is {} here, and the array has {} elements; let the "
                                   "loop end earlier, or make the array longer",
                                   index.getSExtValue(), count));
  }

  /// The index of a test in the last iterations of all loops around it, if it stands in every one:
  /// those of loops that are too long to be unrolled.
  static std::optional<llvm::APInt> last_index(const llvm::SCEV* index, const llvm::CallInst& test,
                                               const llvm::DominatorTree& dominators,
                                               llvm::ScalarEvolution& evolution) {
    if (const auto* constant = llvm::dyn_cast<llvm::SCEVConstant>(index)) {
      return constant->getAPInt();
    }
    const auto* line = llvm::dyn_cast<llvm::SCEVAddRecExpr>(index);
    if (!line || !line->isAffine()) return std::nullopt;
    const llvm::Loop& loop = *line->getLoop();
    const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(line->getStepRecurrence(evolution));
    const auto* turns = llvm::dyn_cast<llvm::SCEVConstant>(evolution.getBackedgeTakenCount(&loop));
    const llvm::BasicBlock* latch = loop.getLoopLatch();
    const bool in_every_turn =
        loop.contains(&test) && latch && dominators.dominates(test.getParent(), latch);
    if (!step || !turns || !in_every_turn || step->getAPInt().isNegative()) return std::nullopt;
    const std::optional<llvm::APInt> start =
        last_index(line->getStart(), test, dominators, evolution);
    if (!start) return std::nullopt;
    return *start + step->getAPInt() * turns->getAPInt().zextOrTrunc(start->getBitWidth());
  }

  /// Drops the tests that a loop's bounds prove, and unrolls the innermost loop around one that
  /// they do not; whether anything changed.
  bool unroll_one() {
    if (tests().empty() || function_.getInstructionCount() > kMostInstructions) return false;
    llvm::FunctionAnalysisManager analyses;
    llvm::PassBuilder().registerFunctionAnalyses(analyses);
    auto& loops = analyses.getResult<llvm::LoopAnalysis>(function_);
    auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function_);
    const auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function_);
    llvm::Loop* chosen = nullptr;
    for (llvm::CallInst* test : tests()) {
      const auto count = static_cast<std::uint64_t>(constant_argument(*test, 0));
      const llvm::SCEV* index = evolution.getSCEV(test->getArgOperand(1));
      if (evolution.getUnsignedRangeMax(index).ult(count)) {
        test->eraseFromParent();
        continue;
      }
      const std::optional<llvm::APInt> last = last_index(index, *test, dominators, evolution);
      if (last && last->uge(count)) {
        if (is_settled_) refuse_index(*test, *last, static_cast<std::int64_t>(count));
        settle();
        return true;
      }
      llvm::Loop* loop = loops.getLoopFor(test->getParent());
      while (loop && !may_unroll(*loop, evolution)) loop = loop->getParentLoop();
      if (loop && counts(index, loops) && (!chosen || chosen->contains(loop))) chosen = loop;
    }
    if (!chosen) return false;
    while (!chosen->isInnermost()) {
      llvm::Loop* inner = chosen->getSubLoops().front();
      if (!may_unroll(*inner, evolution)) return false;
      chosen = inner;
    }
    tried_.push_back(chosen->getHeader());
    mark_for_unrolling(*chosen, evolution);
    unroll_marked(function_);
    tidy(function_);
    is_settled_ = false;
    return true;
  }

  /// Whether the index depends on a loop counter.
  static bool counts(const llvm::SCEV* index, const llvm::LoopInfo& loops) {
    return llvm::SCEVExprContains(index, [&](const llvm::SCEV* part) {
      const auto* unknown = llvm::dyn_cast<llvm::SCEVUnknown>(part);
      const auto* phi = unknown ? llvm::dyn_cast<llvm::PHINode>(unknown->getValue()) : nullptr;
      return llvm::isa<llvm::SCEVAddRecExpr>(part) || (phi && loops.isLoopHeader(phi->getParent()));
    });
  }

  bool may_unroll(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) const {
    const unsigned turns = exits_ == EarlyExits::kProved
                               ? evolution.getSmallConstantMaxTripCount(&loop)
                               : evolution.getSmallConstantTripCount(&loop);
    if (turns == 0 || turns > kMostTurns) return false;
    if (std::find(tried_.begin(), tried_.end(), loop.getHeader()) != tried_.end()) return false;
    std::size_t size = 0;
    for (const llvm::BasicBlock* block : loop.blocks()) {
      size += block->size();
      for (const llvm::Instruction& instruction : *block) {
        const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        if (call && call->cannotDuplicate()) return false;
        const auto* wait = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
        if (wait && wait->getIntrinsicID() == llvm::Intrinsic::coro_suspend) return false;
      }
    }
    return turns * size <= (exits_ == EarlyExits::kProved ? kMostInstructions : kMostOfTrusted);
  }

  llvm::Function& function_;
  EarlyExits exits_;
  bool is_settled_ = false;  ///< whether tidy() changes nothing
  std::vector<const llvm::BasicBlock*> tried_;
};

}  // namespace

void check_constant_indices(std::unique_ptr<llvm::Module> program, EarlyExits exits,
                            const std::vector<std::string>& roots) {
  for (llvm::Function& function : *program) mark_tests(function);
  declare_drivers(*program);
  for (llvm::Function& function : *program) exact_widths(function);
  std::vector<llvm::Function*> kept;
  for (const std::string& root : roots) kept.push_back(program->getFunction(root));
  mark_for_inlining(*program, kept);
  inline_marked(*program);
  for (llvm::Function& function : *program) {
    const bool inlined =
        function.hasFnAttribute(llvm::Attribute::AlwaysInline) && !function.isPresplitCoroutine();
    if (!function.isDeclaration() && !inlined) Indices(function, exits).check();
  }
}

void drop_index_tests(llvm::Module& program) {
  for (llvm::Function& function : program) {
    for_each_test(function, go_on);
    for (llvm::BasicBlock& block : llvm::make_early_inc_range(function)) {
      if (is_trap(block) && llvm::pred_empty(&block)) llvm::DeleteDeadBlock(&block);
    }
  }
}

}  // namespace systole::compiler
