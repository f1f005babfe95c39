#include "hls/compiler/passes/drop_dead_registers.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <map>
#include <set>
#include <vector>

#include "hls/compiler/analyses/live_registers.h"
#include "hls/compiler/ir/lowered_thread.h"
#include "hls/compiler/ir/operations.h"

namespace systole::compiler {
namespace {

using Element = std::pair<std::int64_t, std::int64_t>;

Element element_of(const llvm::CallInst& call) {
  return {leaf_of(call), constant_argument(call, 1)};
}

}  // namespace

void drop_writes_of_same(llvm::Function& edge) {
  std::vector<llvm::Instruction*> dead;
  for (llvm::BasicBlock& block : edge) {
    std::set<Element> later;
    for (llvm::Instruction& instruction : llvm::reverse(block)) {
      if (!is_operation(instruction, Operation::kStore)) continue;
      const auto& call = llvm::cast<llvm::CallInst>(instruction);
      if (!later.insert(element_of(call)).second) dead.push_back(&instruction);
    }
  }
  // A register with a single store keeps its value without a store of that value.
  std::map<Element, int> writes;
  for (const llvm::Instruction& instruction : llvm::instructions(edge)) {
    if (is_operation(instruction, Operation::kStore)) {
      ++writes[element_of(llvm::cast<llvm::CallInst>(instruction))];
    }
  }
  for (llvm::Instruction& instruction : llvm::instructions(edge)) {
    if (!is_operation(instruction, Operation::kStore)) continue;
    const auto& call = llvm::cast<llvm::CallInst>(instruction);
    const auto* value = llvm::dyn_cast<llvm::CallInst>(call.getArgOperand(2));
    // What has no value, as that of an empty std::optional, has any: the register's own.
    if (llvm::isa<llvm::UndefValue>(call.getArgOperand(2))) dead.push_back(&instruction);
    if (value && is_operation(*value, Operation::kReadRegister) &&
        element_of(*value) == element_of(call) && writes[element_of(call)] == 1) {
      dead.push_back(&instruction);
    }
  }
  std::set<llvm::Instruction*> once(dead.begin(), dead.end());
  for (llvm::Instruction* one : once) one->eraseFromParent();
}

void drop_dead_registers(LoweredThread& thread) {
  const int first_kept = static_cast<int>(thread.ports.registers.size());
  const int state_register = thread.state_register();
  const LiveRegisters live(thread);
  for (llvm::Function* edge : thread.edges()) {
    for (llvm::BasicBlock& block : *edge) {
      const std::set<int>& needed = live.after(block);
      for (llvm::Instruction& instruction : llvm::make_early_inc_range(block)) {
        if (!is_operation(instruction, Operation::kStore)) continue;
        const int leaf = leaf_of(instruction);
        if (leaf >= first_kept && leaf != state_register && needed.count(leaf) == 0) {
          instruction.eraseFromParent();
        }
      }
    }
  }
}

}  // namespace systole::compiler
