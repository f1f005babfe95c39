#include "hls/compiler/loops/merge_reads.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <map>
#include <utility>

#include "hls/compiler/ir/operations.h"

namespace systole::compiler {

void merge_reads(llvm::Function& function) {
  for (llvm::BasicBlock& block : function) {
    std::map<std::pair<int, const llvm::Value*>, llvm::Instruction*> known;  // by address
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(block)) {
      if (is_operation(instruction, Operation::kMemoryWrite)) {
        const int memory = leaf_of(instruction);
        std::erase_if(known, [&](const auto& one) { return one.first.first == memory; });
      } else if (is_operation(instruction, Operation::kMemoryRead)) {
        const auto [found, is_new] =
            known.try_emplace({leaf_of(instruction), instruction.getOperand(1)}, &instruction);
        if (is_new) continue;
        instruction.replaceAllUsesWith(found->second);
        instruction.eraseFromParent();
      }
    }
  }
}

}  // namespace systole::compiler
