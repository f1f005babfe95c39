#pragma once

#include <map>
#include <vector>

#include "hls/compiler/ir/lowered_kernel.h"
#include "hls/compiler/loops/machine_ports.h"

namespace systole::compiler {

/// The memories of a kernel's machine: ports for its arguments, instances for its own.
class MachineMemories {
 public:
  MachineMemories(const std::vector<KernelMemory>& memories, MachinePorts& ports);

  void read(int memory, llvm::Value* when, llvm::Value* address);
  void write(int memory, llvm::Value* when, llvm::Value* address, llvm::Value* data);
  /// What was read in the clock before; it holds until the next read.
  llvm::Value* read_data(int memory);
  /// Connects every port; in a clock without `moves`, null for always, nothing is accessed.
  void drive(llvm::Value* moves);

 private:
  struct Access {
    llvm::Value* when;
    llvm::Value* address;
    llvm::Value* data;
  };
  static llvm::Value* any(const std::vector<Access>& accesses, llvm::IRBuilder<>& builder);
  static llvm::Value* chosen(const std::vector<Access>& accesses, llvm::Value* Access::* part,
                             llvm::IRBuilder<>& builder);
  void drive_one(int memory, llvm::Value* moves);

  const std::vector<KernelMemory>& memories_;
  MachinePorts& ports_;
  std::vector<int> instances_;  ///< -1 for an argument
  std::map<int, llvm::Value*> read_data_;
  std::map<int, std::vector<Access>> reads_;
  std::map<int, std::vector<Access>> writes_;
};

}  // namespace systole::compiler
