#pragma once

#include <llvm/IR/IRBuilder.h>

#include <map>
#include <string>
#include <vector>

#include "hls/compiler/ir/lowered_module.h"

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

/// The registers of a kernel's machine, each with the values that it may take and when.
class MachineRegisters {
 public:
  MachineRegisters(LoweredModule& module, llvm::IRBuilder<>& builder)
      : module_(module), builder_(builder) {}

  int add(const std::string& name, unsigned width);
  /// The value before the edge.
  llvm::Value* now(int number);
  /// The value after an edge at which `when` is set. A later write of the same edge wins.
  void write(int number, llvm::Value* when, llvm::Value* value);
  /// The value that a block starts with. Wins over every write, and no other start meets it.
  void start(int number, llvm::Value* when, llvm::Value* value);
  /// Writes every register, where `moves` is set if it is not null, and resets those of `control`
  /// to 0.
  void finish(llvm::Function* reset, const std::vector<int>& control, llvm::Value* moves);

 private:
  struct Write {
    llvm::Value* when;
    llvm::Value* value;
  };
  LoweredModule& module_;
  llvm::IRBuilder<>& builder_;
  std::map<int, llvm::Value*> reads_;
  std::map<int, std::vector<Write>> writes_;
  std::map<int, std::vector<Write>> starts_;
};

}  // namespace systole::compiler
