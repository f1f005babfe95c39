#include "hls/compiler/emit/unread_bits.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/DemandedBits.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>

#include <cstdint>
#include <map>
#include <utility>

#include "hls/compiler/ir/operations.h"

namespace systole::compiler {

std::set<int> registers_with_unread_bits(llvm::Function& clock) {
  llvm::AssumptionCache assumptions(clock);
  llvm::DominatorTree dominators(clock);
  llvm::DemandedBits demanded(clock, assumptions, dominators);
  std::map<std::pair<int, std::int64_t>, llvm::APInt> read;
  for (llvm::Instruction& instruction : llvm::instructions(clock)) {
    if (!is_operation(instruction, Operation::kReadRegister) || instruction.use_empty()) continue;
    const llvm::APInt bits = demanded.getDemandedBits(&instruction);
    const auto [at, is_new] =
        read.try_emplace({leaf_of(instruction), constant_argument(instruction, 1)}, bits);
    if (!is_new) at->second |= bits;
  }
  std::set<int> found;
  for (const auto& [place, bits] : read) {
    if (!bits.isAllOnes()) found.insert(place.first);
  }
  return found;
}

}  // namespace systole::compiler
