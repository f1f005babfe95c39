#include "hls/compiler/passes/drop_unread_registers.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <map>
#include <set>
#include <vector>

#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/passes/cut_indices.h"
#include "hls/compiler/passes/expand_intrinsics.h"
#include "hls/compiler/passes/expand_picks.h"
#include "hls/compiler/passes/narrow.h"
#include "hls/compiler/passes/simplify.h"
#include "hls/compiler/support/rounds.h"

namespace systole::compiler {
namespace {

bool is_write(const llvm::Instruction& instruction) {
  return is_operation(instruction, {Operation::kWriteRegister, Operation::kStore});
}

bool is_read(const llvm::Instruction& instruction) {
  return is_operation(instruction, {Operation::kReadRegister, Operation::kLoad});
}

/// Registers start at 0 in C++; one that is never written another value stays 0.
bool replace_zeros(const LoweredModule& module) {
  std::set<int> changing;
  std::map<int, std::vector<llvm::Instruction*>> reads;
  for (llvm::Function* function : module.edges()) {
    for (llvm::Instruction& instruction : llvm::instructions(*function)) {
      if (is_write(instruction)) {
        const auto* value = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(2));
        if (!value || !value->isZero()) changing.insert(leaf_of(instruction));
      } else if (is_operation(instruction, Operation::kReadRegister)) {
        reads[leaf_of(instruction)].push_back(&instruction);
      }
    }
  }
  bool replaced = false;
  for (const auto& [leaf, list] : reads) {
    if (changing.count(leaf) != 0) continue;
    for (llvm::Instruction* read : list) {
      read->replaceAllUsesWith(llvm::ConstantInt::get(read->getType(), 0));
      read->eraseFromParent();
      replaced = true;
    }
  }
  return replaced;
}

/// The registers on which anything other than registers depends, including control flow.
std::set<int> read_registers(llvm::Function& clock) {
  std::map<int, std::vector<llvm::Instruction*>> writes;
  std::vector<const llvm::Instruction*> left;
  for (llvm::Instruction& instruction : llvm::instructions(clock)) {
    if (is_write(instruction)) {
      writes[leaf_of(instruction)].push_back(&instruction);
    } else if (instruction.isTerminator() || instruction.mayHaveSideEffects()) {
      left.push_back(&instruction);
    }
  }
  std::set<int> read;
  std::set<const llvm::Instruction*> seen;
  while (!left.empty()) {
    const llvm::Instruction* instruction = left.back();
    left.pop_back();
    if (!seen.insert(instruction).second) continue;
    for (const llvm::Value* operand : instruction->operands()) {
      if (const auto* one = llvm::dyn_cast<llvm::Instruction>(operand)) left.push_back(one);
    }
    if (is_read(*instruction) && read.insert(leaf_of(*instruction)).second) {
      const auto& writers = writes[leaf_of(*instruction)];
      left.insert(left.end(), writers.begin(), writers.end());
    }
  }
  return read;
}

}  // namespace

void drop_unread_registers(LoweredModule& module) {
  if (replace_zeros(module)) {
    Rounds rounds("drop_unread_registers", *module.clock);
    for (simplify(*module.clock); fold_picks(*module.clock); simplify(*module.clock)) {
      rounds.next();
    }
    expand_intrinsics(*module.clock);
    narrow(*module.clock);
    separate_indices(*module.clock, module);
  }
  const std::set<int> read = read_registers(*module.clock);
  for (llvm::Function* function : module.edges()) {
    std::vector<llvm::Instruction*> unread;
    for (llvm::Instruction& instruction : llvm::instructions(*function)) {
      if (is_write(instruction) && read.count(leaf_of(instruction)) == 0) {
        unread.push_back(&instruction);
      }
    }
    for (llvm::Instruction* write : unread) write->eraseFromParent();
    if (!unread.empty()) clean_up(*function);
  }
}

}  // namespace systole::compiler
