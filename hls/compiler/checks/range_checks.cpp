#include "hls/compiler/checks/range_checks.h"

#include <llvm/Analysis/LazyValueInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Passes/PassBuilder.h>

#include <algorithm>

#include "hls/compiler/ir/operations.h"
#include "hls/compiler/passes/simplify.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

namespace match = llvm::PatternMatch;

/// A value's range, from the loops that count it, the conditions around the place, and those that
/// select the value.
class Ranges {
 public:
  explicit Ranges(llvm::Function& function) : layout_(function.getParent()->getDataLayout()) {
    llvm::PassBuilder().registerFunctionAnalyses(analyses_);
    evolution_ = &analyses_.getResult<llvm::ScalarEvolutionAnalysis>(function);
    values_ = &analyses_.getResult<llvm::LazyValueAnalysis>(function);
    dominators_ = &analyses_.getResult<llvm::DominatorTreeAnalysis>(function);
  }

  /// Whether the value is below the limit wherever the place is reached. The analyses take one of
  /// two conditions that contradict each other; together they say that nothing reaches the place.
  bool below(llvm::Instruction& place, llvm::Value* value, std::uint64_t limit) {
    const auto holds = [&] {
      const llvm::ConstantRange range = at(place, value);
      return range.isEmptySet() || range.getUnsignedMax().ult(limit);
    };
    if (holds()) return true;
    assume_branches_to(*place.getParent());
    const bool now = !assumed_.empty() && holds();
    assumed_.clear();
    return now;
  }

 private:
  static constexpr int kMostSteps = 6;

  /// The conditions of all branches that lead to the block.
  void assume_branches_to(const llvm::BasicBlock& block) {
    const auto* place = dominators_->getNode(&block);
    for (auto* node = place ? place->getIDom() : nullptr; node; node = node->getIDom()) {
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(node->getBlock()->getTerminator());
      if (!branch || !branch->isConditional()) continue;
      for (const unsigned way : {0u, 1u}) {
        const llvm::BasicBlockEdge edge(node->getBlock(), branch->getSuccessor(way));
        if (dominators_->dominates(edge, &block)) {
          assumed_.emplace_back(branch->getCondition(), way == 0);
        }
      }
    }
  }

  llvm::ConstantRange at(llvm::Instruction& place, llvm::Value* value, int depth = 0) {
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value)) {
      return llvm::ConstantRange(constant->getValue());
    }
    llvm::ConstantRange range = evolution_->getUnsignedRange(evolution_->getSCEV(value))
                                    .intersectWith(values_->getConstantRange(value, &place, false));
    for (const auto& [condition, holds] : assumed_) {
      range = range.intersectWith(implied(condition, holds, value));
    }
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction || depth > kMostSteps) return range;
    const auto operand = [&](unsigned i) {
      return at(place, instruction->getOperand(i), depth + 1);
    };
    if (llvm::isa<llvm::SelectInst>(instruction)) {
      const auto chosen = [&](bool holds) {
        assumed_.emplace_back(instruction->getOperand(0), holds);
        const llvm::ConstantRange one = operand(holds ? 1 : 2);
        assumed_.pop_back();
        return one;
      };
      return range.intersectWith(chosen(true).unionWith(chosen(false)));
    }
    if (auto* cast = llvm::dyn_cast<llvm::CastInst>(instruction);
        cast && cast->getSrcTy()->isIntegerTy()) {
      return range.intersectWith(
          operand(0).castOp(cast->getOpcode(), value->getType()->getIntegerBitWidth()));
    }
    if (auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(instruction)) {
      return range.intersectWith(operand(0).binaryOp(binary->getOpcode(), operand(1)));
    }
    return range;
  }

  /// The low bits of a value, as a number.
  struct Number {
    llvm::Value* value = nullptr;
    unsigned bits = 0;
    bool operator==(const Number&) const = default;
  };

  /// What a value's number is, seen through extensions and cuts.
  static Number number_of(llvm::Value* value, const llvm::DataLayout& layout) {
    llvm::Value* inner = nullptr;
    const llvm::APInt* mask = nullptr;
    unsigned bits = value->getType()->getIntegerBitWidth();
    if (match::match(value, match::m_And(match::m_Value(inner), match::m_APInt(mask)))) {
      const bool cuts = mask->isMask();
      const llvm::APInt most = llvm::computeKnownBits(inner, layout).getMaxValue();
      if (!cuts && !most.isSubsetOf(*mask)) inner = nullptr;
      if (cuts) bits = mask->countr_one();
    } else if (!match::match(value, match::m_ZExt(match::m_Value(inner)))) {
      match::match(value, match::m_Trunc(match::m_Value(inner)));
    }
    Number number = inner ? number_of(inner, layout) : Number{value, bits};
    const unsigned known = llvm::computeKnownBits(number.value, layout).countMaxActiveBits();
    number.bits = std::min({number.bits, bits, known});
    return number;
  }

  /// What the condition implies for the value.
  llvm::ConstantRange implied(llvm::Value* condition, bool holds, llvm::Value* value) const {
    const unsigned width = value->getType()->getIntegerBitWidth();
    llvm::Value* first = nullptr;
    llvm::Value* second = nullptr;
    const bool both =
        holds ? match::match(condition,
                             match::m_LogicalAnd(match::m_Value(first), match::m_Value(second)))
              : match::match(condition,
                             match::m_LogicalOr(match::m_Value(first), match::m_Value(second)));
    if (both) return implied(first, holds, value).intersectWith(implied(second, holds, value));
    const auto* test = llvm::dyn_cast<llvm::ICmpInst>(condition);
    const llvm::APInt* limit = nullptr;
    if (!test || !match::match(test->getOperand(1), match::m_APInt(limit))) {
      return llvm::ConstantRange::getFull(width);
    }
    const Number tested = number_of(test->getOperand(0), layout_);
    const Number wanted = number_of(value, layout_);
    if (tested.value != wanted.value || wanted.bits > tested.bits) {
      return llvm::ConstantRange::getFull(width);
    }
    const llvm::ConstantRange range = llvm::ConstantRange::makeExactICmpRegion(
        holds ? test->getPredicate() : test->getInversePredicate(), *limit);
    if (wanted.bits == tested.bits || range.isEmptySet()) return range.zextOrTrunc(width);
    // Low bits of a number are no more than the number.
    const llvm::APInt most = range.getUnsignedMax();
    return most.getActiveBits() < width
               ? llvm::ConstantRange(llvm::APInt(width, 0), most.zextOrTrunc(width) + 1)
               : llvm::ConstantRange::getFull(width);
  }

  const llvm::DataLayout& layout_;
  llvm::FunctionAnalysisManager analyses_;
  llvm::ScalarEvolution* evolution_ = nullptr;
  llvm::LazyValueInfo* values_ = nullptr;
  llvm::DominatorTree* dominators_ = nullptr;
  std::vector<std::pair<llvm::Value*, bool>> assumed_;
};

}  // namespace

void RangeChecks::require(llvm::IRBuilderBase& builder, llvm::Value* value, std::uint64_t limit,
                          std::string message) {
  const unsigned width = value->getType()->getIntegerBitWidth();
  if (width < 64 && limit >= std::uint64_t{1} << width) return;
  const llvm::DataLayout& layout = builder.GetInsertBlock()->getModule()->getDataLayout();
  if (llvm::computeKnownBits(value, layout).getMaxValue().ult(limit)) return;
  checks_.push_back({limit, std::move(message)});
  emit_operation(builder, Operation::kCheck, nullptr,
                 {builder.getInt32(static_cast<std::uint32_t>(checks_.size() - 1)), value});
}

std::vector<llvm::CallInst*> RangeChecks::prove(llvm::Function& function) const {
  Ranges ranges(function);
  std::vector<llvm::CallInst*> left;
  std::vector<llvm::CallInst*> done;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!is_operation(instruction, Operation::kCheck)) continue;
    auto* call = llvm::cast<llvm::CallInst>(&instruction);
    const Check& check = checks_[static_cast<std::size_t>(constant_argument(*call, 0))];
    const bool holds = ranges.below(*call, call->getArgOperand(1), check.limit);
    (holds ? done : left).push_back(call);
  }
  for (llvm::CallInst* call : done) call->eraseFromParent();
  return left;
}

void RangeChecks::settle(llvm::Function& function) {
  if (checks_.empty()) return;
  std::vector<llvm::CallInst*> left = prove(function);
  if (!left.empty()) {
    // Analyses understand the type layer's comparisons once they are single instructions.
    combine(function);
    left = prove(function);
  }
  if (!left.empty()) {
    refuse(*left[0], checks_[static_cast<std::size_t>(constant_argument(*left[0], 0))].message);
  }
  checks_.clear();
}

}  // namespace systole::compiler
