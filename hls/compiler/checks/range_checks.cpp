#include "hls/compiler/checks/range_checks.h"

#include <llvm/Analysis/LazyValueInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Passes/PassBuilder.h>

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
  explicit Ranges(llvm::Function& function) {
    llvm::PassBuilder().registerFunctionAnalyses(analyses_);
    evolution_ = &analyses_.getResult<llvm::ScalarEvolutionAnalysis>(function);
    values_ = &analyses_.getResult<llvm::LazyValueAnalysis>(function);
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

 private:
  static constexpr int kMostSteps = 6;

  /// What the condition implies for the value.
  static llvm::ConstantRange implied(llvm::Value* condition, bool holds, llvm::Value* value) {
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
    if (!test || test->getOperand(0) != value ||
        !match::match(test->getOperand(1), match::m_APInt(limit))) {
      return llvm::ConstantRange::getFull(width);
    }
    return llvm::ConstantRange::makeExactICmpRegion(
        holds ? test->getPredicate() : test->getInversePredicate(), *limit);
  }

  llvm::FunctionAnalysisManager analyses_;
  llvm::ScalarEvolution* evolution_ = nullptr;
  llvm::LazyValueInfo* values_ = nullptr;
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
    const llvm::ConstantRange range = ranges.at(*call, call->getArgOperand(1));
    const Check& check = checks_[static_cast<std::size_t>(constant_argument(*call, 0))];
    const bool holds = range.isEmptySet() || range.getUnsignedMax().ult(check.limit);
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
