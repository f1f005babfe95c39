#include "hls/compiler/checks/range_checks.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ValueHandle.h>

#include "hls/compiler/analyses/value_ranges.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/passes/simplify.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {

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

const RangeChecks::Check& RangeChecks::check_of(const llvm::CallInst& marker) const {
  return checks_[static_cast<std::size_t>(constant_argument(marker, 0))];
}

std::vector<llvm::CallInst*> RangeChecks::prove(llvm::Function& function) const {
  ValueRanges ranges(function);
  std::vector<llvm::CallInst*> left;
  std::vector<llvm::CallInst*> done;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!is_operation(instruction, Operation::kCheck)) continue;
    auto* call = llvm::cast<llvm::CallInst>(&instruction);
    const bool holds = ranges.below(*call, call->getArgOperand(1), check_of(*call).limit);
    (holds ? done : left).push_back(call);
  }
  for (llvm::CallInst* call : done) call->eraseFromParent();
  return left;
}

std::vector<llvm::CallInst*> RangeChecks::propagate(
    llvm::Function& function, const std::vector<llvm::CallInst*>& checks) const {
  // Propagation may erase what nothing reaches.
  std::vector<std::pair<llvm::WeakVH, llvm::WeakVH>> asked;
  for (llvm::CallInst* check : checks) {
    llvm::IRBuilder<> builder(check);
    llvm::Value* value = check->getArgOperand(1);
    const std::uint64_t limit = check_of(*check).limit;
    llvm::Value* holds =
        builder.CreateICmpULT(value, llvm::ConstantInt::get(value->getType(), limit));
    asked.emplace_back(check, emit_operation(builder, Operation::kCheck, nullptr,
                                             {check->getArgOperand(0), holds}));
  }
  propagate_constants(function);
  std::vector<llvm::CallInst*> left;
  for (const auto& [check, question] : asked) {
    if (!check || !question) continue;
    auto* marker = llvm::cast<llvm::CallInst>(question);
    auto* call = llvm::cast<llvm::CallInst>(check);
    const auto* holds = llvm::dyn_cast<llvm::ConstantInt>(marker->getArgOperand(1));
    marker->eraseFromParent();
    if (holds && holds->isOne()) {
      call->eraseFromParent();
    } else {
      left.push_back(call);
    }
  }
  return left;
}

void RangeChecks::settle(llvm::Function& function) {
  if (checks_.empty()) return;
  std::vector<llvm::CallInst*> left = prove(function);
  if (!left.empty()) left = propagate(function, left);
  if (!left.empty()) {
    // Analyses understand the type layer's comparisons once they are single instructions.
    combine(function);
    left = prove(function);
  }
  if (!left.empty()) {
    refuse(*left[0], check_of(*left[0]).message);
  }
  checks_.clear();
}

}  // namespace systole::compiler
