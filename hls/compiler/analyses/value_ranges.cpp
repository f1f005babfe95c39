#include "hls/compiler/analyses/value_ranges.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/LazyValueInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Passes/PassBuilder.h>

#include <algorithm>
#include <optional>

#include "hls/compiler/analyses/wiring.h"

namespace systole::compiler {
namespace {

namespace pattern = llvm::PatternMatch;

/// What is followed: operands of operands, and ways into a block.
constexpr int kMostSteps = 6;
constexpr unsigned kMostWays = 4;

/// The low bits of a value, as a number.
struct Number {
  llvm::Value* value = nullptr;
  unsigned bits = 0;
};

/// The value itself where a loop's end only gives it another name.
llvm::Value* unnamed(llvm::Value* value) {
  const auto* phi = llvm::dyn_cast<llvm::PHINode>(value);
  llvm::Value* only = phi ? phi->hasConstantValue() : nullptr;
  return only ? unnamed(only) : value;
}

/// What a value's number is, seen through extensions and cuts.
Number number_of(llvm::Value* value, const llvm::DataLayout& layout) {
  value = unnamed(value);
  llvm::Value* inner = nullptr;
  const llvm::APInt* mask = nullptr;
  unsigned bits = value->getType()->getIntegerBitWidth();
  if (pattern::match(value, pattern::m_And(pattern::m_Value(inner), pattern::m_APInt(mask)))) {
    const llvm::APInt most = llvm::computeKnownBits(inner, layout).getMaxValue();
    const bool cuts = !most.isSubsetOf(*mask);
    if (cuts && mask->isMask()) bits = mask->countr_one();
    if (cuts && !mask->isMask()) inner = nullptr;
  } else if (!pattern::match(value, pattern::m_ZExt(pattern::m_Value(inner)))) {
    pattern::match(value, pattern::m_Trunc(pattern::m_Value(inner)));
    // Such a cut takes nothing away.
    const auto* cut = llvm::dyn_cast<llvm::TruncInst>(value);
    if (cut && cut->hasNoUnsignedWrap()) bits = inner->getType()->getIntegerBitWidth();
  }
  Number number = inner ? number_of(inner, layout) : Number{value, bits};
  const unsigned known = llvm::computeKnownBits(number.value, layout).countMaxActiveBits();
  number.bits = std::min({number.bits, bits, known});
  return number;
}

/// A comparison with a constant, as it is known to turn out.
struct Test {
  llvm::Value* value = nullptr;
  llvm::ICmpInst::Predicate predicate = llvm::ICmpInst::ICMP_EQ;
  llvm::APInt limit;
};

std::optional<Test> test_of(llvm::Value* condition, bool holds) {
  const auto* test = llvm::dyn_cast<llvm::ICmpInst>(condition);
  if (!test) return std::nullopt;
  const auto predicate = holds ? test->getPredicate() : test->getInversePredicate();
  const llvm::APInt* limit = nullptr;
  if (pattern::match(test->getOperand(1), pattern::m_APInt(limit))) {
    return Test{test->getOperand(0), predicate, *limit};
  }
  if (pattern::match(test->getOperand(0), pattern::m_APInt(limit))) {
    return Test{test->getOperand(1), llvm::ICmpInst::getSwappedPredicate(predicate), *limit};
  }
  return std::nullopt;
}

llvm::ConstantRange all_or_nothing(const llvm::Value& value, bool all) {
  return llvm::ConstantRange(value.getType()->getIntegerBitWidth(), all);
}

/// What the bits allow that wires bring, as of a struct that clang passes in one integer.
llvm::ConstantRange possible(const llvm::Value& value, const llvm::DataLayout& layout) {
  const llvm::APInt most = possible_ones(value, layout);
  return most.isAllOnes() ? all_or_nothing(value, true)
                          : llvm::ConstantRange(llvm::APInt::getZero(most.getBitWidth()), most + 1);
}

llvm::ConstantRange implied_by_choice(const Test& test, llvm::Value* chosen,
                                      std::vector<const llvm::CastInst*> casts, llvm::Value* value,
                                      const llvm::DataLayout& layout);

/// What the condition implies for the value.
llvm::ConstantRange implied(llvm::Value* condition, bool holds, llvm::Value* value,
                            const llvm::DataLayout& layout) {
  condition = unnamed(condition);
  llvm::Value* first = nullptr;
  llvm::Value* second = nullptr;
  if (pattern::match(condition, pattern::m_Not(pattern::m_Value(first)))) {
    return implied(first, !holds, value, layout);
  }
  const bool is_and = pattern::match(
      condition, pattern::m_LogicalAnd(pattern::m_Value(first), pattern::m_Value(second)));
  if (is_and || pattern::match(condition, pattern::m_LogicalOr(pattern::m_Value(first),
                                                               pattern::m_Value(second)))) {
    const llvm::ConstantRange one = implied(first, holds, value, layout);
    const llvm::ConstantRange other = implied(second, holds, value, layout);
    return is_and == holds ? one.intersectWith(other) : one.unionWith(other);
  }
  const std::optional<Test> test = test_of(condition, holds);
  if (!test) return all_or_nothing(*value, true);
  const Number tested = number_of(test->value, layout);
  const Number wanted = number_of(value, layout);
  if (tested.value != wanted.value || wanted.bits > tested.bits) {
    return implied_by_choice(*test, test->value, {}, value, layout);
  }
  const unsigned width = value->getType()->getIntegerBitWidth();
  const llvm::ConstantRange range =
      llvm::ConstantRange::makeExactICmpRegion(test->predicate, test->limit);
  if (wanted.bits == tested.bits || range.isEmptySet()) return range.zextOrTrunc(width);
  // Low bits of a number are no more than the number.
  const llvm::APInt most = range.getUnsignedMax();
  return most.getActiveBits() < width
             ? llvm::ConstantRange(llvm::APInt(width, 0), most.zextOrTrunc(width) + 1)
             : llvm::ConstantRange::getFull(width);
}

/// The same of a test whose first operand is a choice between constants, such as the -1, 0 or 1 of
/// a `<=>`: the conditions of those for which the test holds. `casts` lead from the choice to the
/// test, the last one first.
llvm::ConstantRange implied_by_choice(const Test& test, llvm::Value* chosen,
                                      std::vector<const llvm::CastInst*> casts, llvm::Value* value,
                                      const llvm::DataLayout& layout) {
  if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(chosen)) {
    llvm::Constant* number = constant;
    for (auto cast = casts.rbegin(); cast != casts.rend() && number; ++cast) {
      number =
          llvm::ConstantFoldCastOperand((*cast)->getOpcode(), number, (*cast)->getType(), layout);
    }
    const auto* left = llvm::dyn_cast_or_null<llvm::ConstantInt>(number);
    return all_or_nothing(
        *value, !left || llvm::ICmpInst::compare(left->getValue(), test.limit, test.predicate));
  }
  if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(chosen)) {
    casts.push_back(cast);
    return implied_by_choice(test, cast->getOperand(0), std::move(casts), value, layout);
  }
  auto* choice = llvm::dyn_cast<llvm::SelectInst>(chosen);
  if (!choice) return all_or_nothing(*value, true);
  llvm::ConstantRange range = all_or_nothing(*value, false);
  for (const bool way : {true, false}) {
    llvm::Value* picked = way ? choice->getTrueValue() : choice->getFalseValue();
    range =
        range.unionWith(implied(choice->getCondition(), way, value, layout)
                            .intersectWith(implied_by_choice(test, picked, casts, value, layout)));
  }
  return range;
}

}  // namespace

ValueRanges::ValueRanges(llvm::Function& function)
    : layout_(function.getParent()->getDataLayout()) {
  llvm::PassBuilder().registerFunctionAnalyses(analyses_);
  evolution_ = &analyses_.getResult<llvm::ScalarEvolutionAnalysis>(function);
  values_ = &analyses_.getResult<llvm::LazyValueAnalysis>(function);
  dominators_ = &analyses_.getResult<llvm::DominatorTreeAnalysis>(function);
}

// The analyses take one of two conditions that contradict each other; together they say that
// nothing reaches the place.
bool ValueRanges::below(llvm::Instruction& place, llvm::Value* value, std::uint64_t limit) {
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

/// The conditions of all branches that lead to the block.
void ValueRanges::assume_branches_to(const llvm::BasicBlock& block) {
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

void ValueRanges::assume_edge(const llvm::BasicBlock& from, const llvm::BasicBlock& to) {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(from.getTerminator());
  if (!branch || !branch->isConditional()) return;
  if (branch->getSuccessor(0) == branch->getSuccessor(1)) return;
  assumed_.emplace_back(branch->getCondition(), branch->getSuccessor(0) == &to);
}

llvm::ConstantRange ValueRanges::at(llvm::Instruction& place, llvm::Value* value, int depth) {
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value)) {
    return llvm::ConstantRange(constant->getValue());
  }
  llvm::ConstantRange range = evolution_->getUnsignedRange(evolution_->getSCEV(value))
                                  .intersectWith(values_->getConstantRange(value, &place, false))
                                  .intersectWith(possible(*value, layout_));
  for (const auto& [condition, holds] : assumed_) {
    range = range.intersectWith(implied(condition, holds, value, layout_));
  }
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || depth > kMostSteps) return range;
  const auto operand = [&](unsigned i) { return at(place, instruction->getOperand(i), depth + 1); };
  if (llvm::isa<llvm::SelectInst>(instruction)) {
    const auto chosen = [&](bool holds) {
      assumed_.emplace_back(instruction->getOperand(0), holds);
      const llvm::ConstantRange one = operand(holds ? 1 : 2);
      assumed_.pop_back();
      return one;
    };
    return range.intersectWith(chosen(true).unionWith(chosen(false)));
  }
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction)) {
    return range.intersectWith(joined(*phi, depth));
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

/// What comes into a block, under the conditions of each way in. Not where a loop comes back: its
/// values are of an earlier iteration than those that the conditions around the place speak of.
llvm::ConstantRange ValueRanges::joined(llvm::PHINode& phi, int depth) {
  llvm::ConstantRange range = all_or_nothing(phi, false);
  if (phi.getNumIncomingValues() > kMostWays) return all_or_nothing(phi, true);
  for (unsigned way = 0; way < phi.getNumIncomingValues(); ++way) {
    llvm::BasicBlock& from = *phi.getIncomingBlock(way);
    if (dominators_->dominates(phi.getParent(), &from)) return all_or_nothing(phi, true);
    const auto known = static_cast<std::ptrdiff_t>(assumed_.size());
    assume_branches_to(from);
    assume_edge(from, *phi.getParent());
    range = range.unionWith(at(*from.getTerminator(), phi.getIncomingValue(way), depth + 1));
    assumed_.erase(assumed_.begin() + known, assumed_.end());
  }
  return range;
}

}  // namespace systole::compiler
