#include "hls/compiler/passes/drop_dead_registers.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <map>
#include <set>
#include <vector>

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
  std::map<const llvm::Function*, std::size_t> index;
  for (std::size_t i = 0; i < thread.states.size(); ++i) index[thread.states[i].edge] = i;

  // Registers that a state needs when it starts to wait: it or a later state reads them.
  std::vector<std::set<std::int64_t>> needs(thread.states.size());
  const auto needed_behind = [&](const llvm::BasicBlock& from) {
    std::set<std::int64_t> needed;
    std::set<const llvm::BasicBlock*> seen = {&from};
    std::vector<const llvm::BasicBlock*> open = {&from};
    while (!open.empty()) {
      const llvm::BasicBlock* block = open.back();
      open.pop_back();
      for (const llvm::Instruction& instruction : *block) {
        if (!is_operation(instruction, Operation::kStore) ||
            leaf_of(instruction) != state_register) {
          continue;
        }
        const auto* next = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(2));
        for (std::size_t state = 0; state < needs.size(); ++state) {
          if (!next || next->getZExtValue() == state) {
            needed.insert(needs[state].begin(), needs[state].end());
          }
        }
      }
      for (const llvm::BasicBlock* next : llvm::successors(block)) {
        if (seen.insert(next).second) open.push_back(next);
      }
    }
    return needed;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < thread.states.size(); ++i) {
      const llvm::Function& edge = *thread.states[i].edge;
      std::set<std::int64_t> all = needed_behind(edge.getEntryBlock());
      all.insert(needs[i].begin(), needs[i].end());  // it keeps them while it waits
      for (const llvm::Instruction& instruction : llvm::instructions(edge)) {
        if (is_operation(instruction, Operation::kReadRegister) && !instruction.use_empty()) {
          all.insert(leaf_of(instruction));
        }
      }
      changed = changed || all.size() != needs[i].size();
      needs[i] = std::move(all);
    }
  }
  for (llvm::Function* edge : thread.edges()) {
    for (llvm::BasicBlock& block : *edge) {
      const std::set<std::int64_t> needed = needed_behind(block);
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
