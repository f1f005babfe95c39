#include "sim/verilator/lanes/independent_lanes.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>

namespace systole::lanes {
namespace {

using namespace llvm;

std::optional<std::int64_t> constant(const SCEV* value) {
  const auto* found = dyn_cast<SCEVConstant>(value);
  if (found == nullptr || found->getAPInt().getSignificantBits() > 64) return {};
  return found->getAPInt().getSExtValue();
}

bool is_constant_table(const SCEV* base) {
  const auto* unknown = dyn_cast<SCEVUnknown>(base);
  const auto* global = unknown ? dyn_cast<GlobalVariable>(unknown->getValue()) : nullptr;
  return global != nullptr && global->isConstant();
}

/// The bytes, relative to the base, that an access touches; empty if unknown.
std::optional<LaneAccess> describe(Instruction& instruction, const SCEV* offset, Loop& loop,
                                   unsigned lanes, ScalarEvolution& evolution) {
  LaneAccess access{.instruction = &instruction};
  const TypeSize size =
      instruction.getModule()->getDataLayout().getTypeStoreSize(getLoadStoreType(&instruction));
  if (size.isScalable()) return {};
  access.size = static_cast<std::int64_t>(size.getFixedValue());
  if (const auto first = constant(offset)) {
    access.affine = true;
    access.first = *first;
  } else if (const auto* moving = dyn_cast<SCEVAddRecExpr>(offset);
             moving != nullptr && moving->getLoop() == &loop && moving->isAffine()) {
    const auto start = constant(moving->getStart());
    const auto step = constant(moving->getStepRecurrence(evolution));
    if (start && step) {
      access.affine = true;
      access.first = *start;
      access.stride = *step;
    }
  }
  if (access.affine) {
    const std::int64_t last = access.first + access.stride * (std::int64_t{lanes} - 1);
    access.low = std::min(access.first, last);
    access.high = std::max(access.first, last) + access.size;
    return access;
  }
  const ConstantRange range = evolution.getSignedRange(offset);
  if (range.isFullSet() || range.isSignWrappedSet()) return {};
  access.low = range.getSignedMin().getSExtValue();
  access.high = range.getSignedMax().getSExtValue() + access.size;
  return access;
}

/// Whether two accesses can overlap only within one iteration, if at all.
bool independent(const LaneAccess& a, const LaneAccess& b) {
  if (a.high <= b.low || b.high <= a.low) return true;
  if (!a.affine || !b.affine || a.stride != b.stride) return false;
  const std::int64_t low = std::min(a.first, b.first);
  const std::int64_t high = std::max(a.first + a.size, b.first + b.size);
  return high - low <= std::abs(a.stride);
}

}  // namespace

std::optional<LaneLoop> independent_lanes(Loop& loop, ScalarEvolution& evolution) {
  if (!loop.isInnermost() || loop.getLoopLatch() == nullptr) return {};
  LaneLoop found{.loop = &loop, .lanes = evolution.getSmallConstantTripCount(&loop)};
  if (found.lanes < 2) return {};
  for (BasicBlock* block : loop.blocks()) {
    for (Instruction& instruction : *block) {
      if (!instruction.mayReadOrWriteMemory()) continue;
      const auto* intrinsic = dyn_cast<IntrinsicInst>(&instruction);
      if (intrinsic && intrinsic->isAssumeLikeIntrinsic()) continue;
      const auto* load = dyn_cast<LoadInst>(&instruction);
      const auto* store = dyn_cast<StoreInst>(&instruction);
      if (!(load && load->isSimple()) && !(store && store->isSimple())) return {};
      const SCEV* address = evolution.getSCEV(getLoadStorePointerOperand(&instruction));
      const SCEV* base = evolution.getPointerBase(address);
      if (load && is_constant_table(base)) continue;
      const auto* pointer = dyn_cast<SCEVUnknown>(base);
      if (pointer == nullptr || !loop.isLoopInvariant(pointer->getValue())) return {};
      if (found.base == nullptr) found.base = pointer->getValue();
      if (pointer->getValue() != found.base) return {};
      const auto access =
          describe(instruction, evolution.removePointerBase(address), loop, found.lanes, evolution);
      if (!access) return {};
      found.accesses.push_back(*access);
    }
  }
  for (const LaneAccess& a : found.accesses) {
    if (!a.writes()) continue;
    for (const LaneAccess& b : found.accesses) {
      if (!independent(a, b)) return {};
    }
  }
  return found;
}

}  // namespace systole::lanes
