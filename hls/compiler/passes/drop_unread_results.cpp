#include "hls/compiler/passes/drop_unread_results.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <set>

#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/passes/simplify.h"

namespace systole::compiler {

void drop_unread_results(LoweredFunction& function, const llvm::Function& clock, int leaf) {
  std::set<std::int64_t> read;
  for (const llvm::Instruction& instruction : llvm::instructions(clock)) {
    if (is_operation(instruction, Operation::kPipelineOutput) && leaf_of(instruction) == leaf) {
      read.insert(constant_argument(instruction, 2));
    }
  }
  if (read.empty()) return;
  for (llvm::Instruction& instruction :
       llvm::make_early_inc_range(llvm::instructions(*function.body))) {
    if (is_operation(instruction, Operation::kWritePort) && read.count(leaf_of(instruction)) == 0) {
      instruction.eraseFromParent();
    }
  }
  clean_up(*function.body);
}

}  // namespace systole::compiler
