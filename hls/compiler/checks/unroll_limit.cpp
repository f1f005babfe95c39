#include "hls/compiler/checks/unroll_limit.h"

#include <fmt/format.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>

#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

constexpr std::uint64_t kMostUnrolled = 1'000'000;

}  // namespace

void check_unroll_limit(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  const auto* taken =
      llvm::dyn_cast<llvm::SCEVConstant>(evolution.getConstantMaxBackedgeTakenCount(&loop));
  // A loop without a constant bound is refused later, since it remains after unrolling.
  if (!taken || llvm::isa<llvm::SCEVCouldNotCompute>(evolution.getBackedgeTakenCount(&loop))) {
    return;
  }
  std::uint64_t size = 0;
  for (const llvm::BasicBlock* block : loop.blocks()) size += block->size();
  const std::uint64_t iterations = taken->getAPInt().getLimitedValue(UINT64_MAX - 1) + 1;
  if (iterations <= kMostUnrolled / size) return;
  refuse(
      *loop.getHeader()->getTerminator(),
      fmt::format("this loop of {} iterations is unrolled, which makes too much hardware; run one "
                  "iteration each clock, with its counter in a register",
                  iterations));
}

}  // namespace systole::compiler
