#include "hls/compiler/passes/share_registers.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "hls/compiler/analyses/live_registers.h"
#include "hls/compiler/ir/lowered_thread.h"
#include "hls/compiler/ir/operations.h"

namespace systole::compiler {
namespace {

/// Pairs of registers that a state needs both, or of which one is written while the other's value
/// is still needed.
std::set<std::pair<int, int>> conflicts(const LoweredThread& thread) {
  std::set<std::pair<int, int>> found;
  const auto add = [&](int one, const std::set<int>& others) {
    for (const int other : others) found.insert(std::minmax(one, other));
  };
  const LiveRegisters live(thread);
  for (const std::set<int>& needed : live.by_state()) {
    for (const int one : needed) add(one, needed);
  }
  for (const llvm::Function* edge : thread.edges()) {
    for (const llvm::BasicBlock& block : *edge) {
      std::set<int> needed = live.after(block);
      for (const llvm::Instruction& instruction : llvm::reverse(block)) {
        if (!is_operation(instruction, Operation::kStore)) continue;
        needed.erase(leaf_of(instruction));
        add(leaf_of(instruction), needed);
      }
    }
  }
  return found;
}

/// Makes every access to `from` one to `to`, which is as wide as needed.
void redirect(LoweredThread& thread, int from, int to) {
  const unsigned width = thread.registers[to].width;
  for (llvm::Function* edge : thread.edges()) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(*edge))) {
      const bool reads = is_operation(instruction, Operation::kReadRegister);
      if (!(reads || is_operation(instruction, Operation::kStore)) ||
          leaf_of(instruction) != from) {
        continue;
      }
      llvm::IRBuilder<> builder(&instruction);
      llvm::Value* leaf = builder.getInt32(static_cast<std::uint32_t>(to));
      llvm::Value* element = instruction.getOperand(1);
      if (reads) {
        llvm::Value* whole = emit_operation(builder, Operation::kReadRegister,
                                            builder.getIntNTy(width), {leaf, element});
        instruction.replaceAllUsesWith(builder.CreateTrunc(whole, instruction.getType()));
      } else {
        llvm::Value* value =
            builder.CreateZExt(instruction.getOperand(2), builder.getIntNTy(width));
        emit_operation(builder, Operation::kStore, nullptr, {leaf, element, value});
      }
      instruction.eraseFromParent();
    }
  }
}

}  // namespace

void share_registers(LoweredThread& thread) {
  const int first_kept = static_cast<int>(thread.ports.registers.size());
  const std::set<std::pair<int, int>> conflicting = conflicts(thread);
  std::vector<std::vector<int>> groups;
  for (int leaf = first_kept; leaf < thread.state_register(); ++leaf) {
    const auto fits = [&](const std::vector<int>& group) {
      return thread.registers[group.front()].name == thread.registers[leaf].name &&
             std::none_of(group.begin(), group.end(),
                          [&](int other) { return conflicting.count({other, leaf}) != 0; });
    };
    const auto group = std::find_if(groups.begin(), groups.end(), fits);
    if (group == groups.end()) {
      groups.push_back({leaf});
    } else {
      group->push_back(leaf);
    }
  }
  for (const std::vector<int>& group : groups) {
    if (group.size() == 1) continue;
    const auto narrower = [&](int one, int other) {
      return thread.registers[one].width < thread.registers[other].width;
    };
    const int kept = *std::max_element(group.begin(), group.end(), narrower);
    for (const int leaf : group) {
      if (leaf != kept) redirect(thread, leaf, kept);
    }
  }
}

}  // namespace systole::compiler
