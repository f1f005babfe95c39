#include "hls/compiler/loops/machine_registers.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>

#include <set>

#include "hls/compiler/ir/operations.h"

namespace systole::compiler {

int MachineRegisters::add(const std::string& name, unsigned width) {
  Leaf leaf;
  leaf.name = name;
  leaf.width = width;
  leaf.size_bytes = (width + 7) / 8;
  module_.state.push_back(leaf);
  return static_cast<int>(module_.state.size()) - 1;
}

llvm::Value* MachineRegisters::now(int number) {
  llvm::Value*& read = reads_[number];
  if (!read) {
    const Leaf& leaf = module_.state[static_cast<std::size_t>(number)];
    read = emit_operation(builder_, Operation::kReadRegister, builder_.getIntNTy(leaf.width),
                          {builder_.getInt32(static_cast<unsigned>(number)), builder_.getInt32(0)});
  }
  return read;
}

void MachineRegisters::write(int number, llvm::Value* when, llvm::Value* value) {
  writes_[number].push_back({when, value});
}

void MachineRegisters::start(int number, llvm::Value* when, llvm::Value* value) {
  starts_[number].push_back({when, value});
}

void MachineRegisters::finish(llvm::Function* reset, const std::vector<int>& control,
                              llvm::Value* moves) {
  // Constants in front of everything else are the synchronous resets of registers.
  for (const bool constants : {false, true}) {
    for (const auto& [number, starts] : starts_) {
      for (const Write& one : starts) {
        if (llvm::isa<llvm::Constant>(one.value) == constants) writes_[number].push_back(one);
      }
    }
  }
  for (const auto& [number, writes] : writes_) {
    llvm::Value* next = now(number);
    for (const Write& one : writes) next = builder_.CreateSelect(one.when, one.value, next);
    if (moves) next = builder_.CreateSelect(moves, next, now(number));
    emit_operation(builder_, Operation::kWriteRegister, nullptr,
                   {builder_.getInt32(static_cast<unsigned>(number)), builder_.getInt32(0), next});
  }
  const std::set<int> cleared(control.begin(), control.end());
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(builder_.getContext(), "reset", reset));
  for (const int number : cleared) {
    const Leaf& leaf = module_.state[static_cast<std::size_t>(number)];
    emit_operation(builder, Operation::kWriteRegister, nullptr,
                   {builder.getInt32(static_cast<unsigned>(number)), builder.getInt32(0),
                    builder.getIntN(leaf.width, 0)});
  }
  builder.CreateRetVoid();
}

}  // namespace systole::compiler
