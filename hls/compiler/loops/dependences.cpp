#include "hls/compiler/loops/dependences.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <optional>

#include "hls/compiler/ir/operations.h"
#include "hls/compiler/loops/address_trace.h"

namespace systole::compiler {
namespace {

/// Beyond this many iterations an order never matters to a schedule, and is kept as this many.
constexpr int kFarthest = 64;

bool is_write(const llvm::Instruction& access) {
  return is_operation(access, Operation::kMemoryWrite);
}

class Addresses {
 public:
  Addresses(const llvm::Loop* loop, llvm::ScalarEvolution& evolution)
      : loop_(loop), evolution_(evolution) {
    if (loop) trace_.emplace(*loop);
  }

  /// Whether the two never meet within one iteration.
  bool differ_now(const llvm::Instruction& a, const llvm::Instruction& b) const {
    const llvm::SCEV* first = address(a);
    const llvm::SCEV* second = address(b);
    const auto* gap = llvm::dyn_cast<llvm::SCEVConstant>(evolution_.getMinusSCEV(first, second));
    if ((gap && !gap->isZero()) || are_apart(first, second)) return true;
    const std::optional<bool> meet = trace_ ? trace_->meet_now(a, b) : std::nullopt;
    return meet && !*meet;
  }

  /// The fewest iterations after which `to` may meet the address of `from`; 0 for never.
  int distance(const llvm::Instruction& from, const llvm::Instruction& to) const {
    if (trace_) {
      if (const auto exact = trace_->distance(from, to)) return std::min(*exact, kFarthest);
    }
    const llvm::SCEV* first = address(from);
    const llvm::SCEV* second = address(to);
    if (are_apart(first, second)) return 0;
    const auto a = walk(first);
    const auto b = walk(second);
    if (!a.known || !b.known || a.step != b.step) return 1;
    const auto* gap = llvm::dyn_cast<llvm::SCEVConstant>(evolution_.getMinusSCEV(a.start, b.start));
    if (!gap) return 1;
    if (a.step.isZero()) return gap->isZero() ? 1 : 0;
    llvm::APInt walked = a.step;
    for (int iterations = 1; iterations < kFarthest; ++iterations, walked += a.step) {
      if (walked == gap->getAPInt()) return iterations;
    }
    return kFarthest;
  }

 private:
  struct Walk {
    bool known = false;
    const llvm::SCEV* start = nullptr;
    llvm::APInt step{1, 0};
  };

  const llvm::SCEV* address(const llvm::Instruction& access) const {
    return evolution_.getSCEV(access.getOperand(1));
  }

  Walk walk(const llvm::SCEV* address) const {
    const unsigned bits = address->getType()->getIntegerBitWidth();
    if (evolution_.isLoopInvariant(address, loop_))
      return Walk{true, address, llvm::APInt(bits, 0)};
    const auto* line = llvm::dyn_cast<llvm::SCEVAddRecExpr>(address);
    if (!line || line->getLoop() != loop_ || !line->isAffine()) return Walk();
    const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(line->getStepRecurrence(evolution_));
    if (!step) return Walk();
    return Walk{true, line->getStart(), step->getAPInt()};
  }

  bool are_apart(const llvm::SCEV* a, const llvm::SCEV* b) const {
    return evolution_.getUnsignedRange(a)
        .intersectWith(evolution_.getUnsignedRange(b))
        .isEmptySet();
  }

  const llvm::Loop* loop_;
  llvm::ScalarEvolution& evolution_;
  std::optional<AddressTrace> trace_;
};

}  // namespace

std::vector<Dependence> dependences(const llvm::BasicBlock& block, const llvm::Loop* loop,
                                    llvm::ScalarEvolution& evolution) {
  std::vector<const llvm::Instruction*> accesses;
  for (const llvm::Instruction& instruction : block) {
    if (is_operation(instruction, {Operation::kMemoryRead, Operation::kMemoryWrite})) {
      accesses.push_back(&instruction);
    }
  }
  const Addresses addresses(loop, evolution);
  std::vector<Dependence> found;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    for (std::size_t j = i + 1; j < accesses.size(); ++j) {
      const llvm::Instruction& a = *accesses[i];
      const llvm::Instruction& b = *accesses[j];
      if (leaf_of(a) != leaf_of(b) || (!is_write(a) && !is_write(b))) continue;
      if (!addresses.differ_now(a, b)) found.push_back({&a, &b, is_write(a) ? 1 : 0, 0});
      if (!loop) continue;
      if (const int later = addresses.distance(a, b)) {
        found.push_back({&a, &b, is_write(a) ? 1 : 0, later});
      }
      if (const int later = addresses.distance(b, a)) {
        found.push_back({&b, &a, is_write(b) ? 1 : 0, later});
      }
    }
  }
  return found;
}

}  // namespace systole::compiler
