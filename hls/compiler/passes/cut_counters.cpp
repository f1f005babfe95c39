#include "hls/compiler/passes/cut_counters.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "hls/compiler/ir/operations.h"
#include "hls/compiler/passes/llvm_passes.h"

namespace systole::compiler {
namespace {

using llvm::dyn_cast;

constexpr unsigned kBits = 32;

/// The counter's next value, `counter + constant`, if every value that it takes is an int; or null.
llvm::BinaryOperator* next_of(llvm::PHINode& counter, const llvm::Loop& loop, unsigned trips) {
  if (!counter.getType()->isIntegerTy() || counter.getType()->getIntegerBitWidth() <= kBits ||
      counter.getNumIncomingValues() != 2) {
    return nullptr;
  }
  auto* next =
      dyn_cast<llvm::BinaryOperator>(counter.getIncomingValueForBlock(loop.getLoopLatch()));
  const auto* start =
      dyn_cast<llvm::ConstantInt>(counter.getIncomingValueForBlock(loop.getLoopPredecessor()));
  const auto* step =
      next && next->getOpcode() == llvm::Instruction::Add && next->getOperand(0) == &counter
          ? dyn_cast<llvm::ConstantInt>(next->getOperand(1))
          : nullptr;
  if (!start || !step) return nullptr;
  const auto is_int = [](const llvm::APInt& value) { return value.isSignedIntN(kBits); };
  const unsigned wide = counter.getType()->getIntegerBitWidth() + 2 * kBits;
  const llvm::APInt end =
      start->getValue().sext(wide) + step->getValue().sext(wide) * llvm::APInt(wide, trips);
  return is_int(start->getValue()) && is_int(step->getValue()) && is_int(end) ? next : nullptr;
}

void cut(llvm::PHINode& counter, llvm::BinaryOperator& next) {
  auto* type = llvm::IntegerType::get(counter.getContext(), kBits);
  const auto number = [&](const llvm::Value* value) {
    return llvm::ConstantInt::get(type,
                                  llvm::cast<llvm::ConstantInt>(value)->getValue().trunc(kBits));
  };
  auto* cut = llvm::PHINode::Create(type, 2, "", counter.getIterator());
  llvm::IRBuilder<> at_next(&next);
  at_next.SetCurrentDebugLocation(next.getDebugLoc());
  llvm::Value* cut_next = at_next.CreateNSWAdd(cut, number(next.getOperand(1)));
  for (unsigned i = 0; i < 2; ++i) {
    llvm::Value* value = counter.getIncomingValue(i);
    cut->addIncoming(value == &next ? cut_next : number(value), counter.getIncomingBlock(i));
  }
  llvm::IRBuilder<> at_head(&*counter.getParent()->getFirstInsertionPt());
  cut->takeName(&counter);
  cut_next->takeName(&next);
  cut->setDebugLoc(counter.getDebugLoc());
  llvm::Value* whole = at_head.CreateSExt(cut, counter.getType());
  llvm::Value* whole_next = at_next.CreateSExt(cut_next, counter.getType());
  counter.replaceAllUsesWith(whole);
  next.replaceAllUsesWith(whole_next);
  next.eraseFromParent();
  counter.eraseFromParent();
}

}  // namespace

void cut_counters(llvm::Function& function) {
  LlvmPasses runner;
  auto& loops = runner.analysis<llvm::LoopAnalysis>(function);
  auto& evolution = runner.analysis<llvm::ScalarEvolutionAnalysis>(function);
  std::vector<std::pair<llvm::PHINode*, llvm::BinaryOperator*>> found;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    const unsigned trips = evolution.getSmallConstantMaxTripCount(loop);
    if (trips == 0 || !loop->getLoopLatch() || !loop->getLoopPredecessor()) continue;
    for (llvm::PHINode& counter : loop->getHeader()->phis()) {
      if (auto* next = next_of(counter, *loop, trips)) found.emplace_back(&counter, next);
    }
  }
  for (const auto& [counter, next] : found) cut(*counter, *next);
  if (found.empty()) return;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!is_operation(instruction, {Operation::kLoad, Operation::kStore})) continue;
    auto& access = llvm::cast<llvm::CallInst>(instruction);
    llvm::Value* index = access.getArgOperand(1);
    if (llvm::isa<llvm::Constant>(index) || llvm::isa<llvm::CastInst>(index)) continue;
    llvm::IRBuilder<> builder(&access);
    access.setArgOperand(1, builder.CreateZExt(builder.CreateTrunc(index, builder.getIntNTy(kBits)),
                                               index->getType()));
  }
}

}  // namespace systole::compiler
