#include "hls/compiler/analyses/live_registers.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "hls/compiler/ir/lowered_thread.h"
#include "hls/compiler/ir/operations.h"

namespace systole::compiler {

LiveRegisters::LiveRegisters(const LoweredThread& thread)
    : thread_(thread), waiting_(thread.states.size()) {
  const int first_kept = static_cast<int>(thread.ports.registers.size());
  for (bool changed = true; changed;) {
    changed = false;
    after_.clear();
    for (std::size_t i = 0; i < thread.states.size(); ++i) {
      const llvm::Function& edge = *thread.states[i].edge;
      const std::size_t known = waiting_[i].size();
      waiting_[i].merge(before(edge.getEntryBlock()));
      for (const llvm::Instruction& instruction : llvm::instructions(edge)) {
        // A read gives the value from before the edge, wherever it is.
        if (is_operation(instruction, Operation::kReadRegister) && !instruction.use_empty() &&
            leaf_of(instruction) >= first_kept) {
          waiting_[i].insert(leaf_of(instruction));
        }
      }
      changed = changed || waiting_[i].size() != known;
    }
  }
  for (const llvm::Function* edge : thread.edges()) {
    for (const llvm::BasicBlock& block : *edge) find_after(block);
  }
}

const std::set<int>& LiveRegisters::find_after(const llvm::BasicBlock& block) {
  const auto [found, is_new] = after_.try_emplace(&block);
  std::set<int>& live = found->second;
  if (!is_new) return live;
  for (const llvm::Instruction& instruction : block) {
    if (!is_operation(instruction, Operation::kStore) ||
        leaf_of(instruction) != thread_.state_register()) {
      continue;
    }
    const auto* next = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(2));
    for (std::size_t state = 0; state < waiting_.size(); ++state) {
      if (next && next->getZExtValue() != state) continue;
      live.insert(waiting_[state].begin(), waiting_[state].end());
    }
  }
  for (const llvm::BasicBlock* next : llvm::successors(&block)) live.merge(before(*next));
  return live;
}

std::set<int> LiveRegisters::before(const llvm::BasicBlock& block) {
  std::set<int> live = find_after(block);
  for (const llvm::Instruction& instruction : block) {
    if (is_operation(instruction, Operation::kStore)) live.erase(leaf_of(instruction));
  }
  return live;
}

}  // namespace systole::compiler
