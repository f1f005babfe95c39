#include "hls/compiler/emit/changing_reads.h"

#include <llvm/IR/Instructions.h>

#include <algorithm>

#include "hls/compiler/ir/operations.h"

namespace systole::compiler {

static bool is_used_in_its_block(const llvm::Instruction& value) {
  return std::all_of(value.user_begin(), value.user_end(), [&](const llvm::User* user) {
    const auto* at = llvm::cast<llvm::Instruction>(user);
    return at->getParent() == value.getParent() && !llvm::isa<llvm::PHINode>(at);
  });
}

bool holds_until_used(const llvm::Instruction& value, const ChangingReads& reads) {
  if (!is_used_in_its_block(value)) return false;
  auto uses_left = static_cast<std::ptrdiff_t>(value.getNumUses());
  for (const llvm::Instruction* at = value.getNextNode(); at; at = at->getNextNode()) {
    uses_left -= std::count(at->value_op_begin(), at->value_op_end(), &value);
    if (uses_left == 0) return true;
    const bool stores = is_operation(*at, Operation::kStore);
    if (!stores && !is_operation(*at, Operation::kPipelineClock)) continue;
    if ((stores ? reads.arrays : reads.pipelines).count(leaf_of(*at)) != 0) return false;
  }
  return true;
}

bool is_used_at_once(const llvm::Instruction& value) {
  if (!value.hasOneUse() || !is_used_in_its_block(value)) return false;
  const llvm::User* user = *value.user_begin();
  for (const llvm::Instruction* at = value.getNextNode(); at && at != user;
       at = at->getNextNode()) {
    if (is_operation(*at, {Operation::kStore, Operation::kPipelineClock})) return false;
  }
  return true;
}

}  // namespace systole::compiler
