#pragma once

#include <llvm/IR/IRBuilder.h>

#include <map>
#include <string>
#include <vector>

#include "hls/compiler/loops/machine.h"

namespace systole::compiler {

/// The ports of a kernel's machine, and the modules inside of it.
class MachinePorts {
 public:
  MachinePorts(Machine& machine, llvm::IRBuilder<>& builder)
      : machine_(machine), builder_(builder) {}

  llvm::IRBuilder<>& builder() const { return builder_; }

  static Leaf leaf(const std::string& name, unsigned width);
  int add_input(const Leaf& input);
  llvm::Value* input(int number);
  void add_output(const Leaf& output, llvm::Value* value);

  /// A submodule, whose outputs are registers; `depth` is a memory's words. Returns its number.
  int add_instance(const std::string& name, const ChildModule& module, int depth,
                   const std::vector<Leaf>& inputs, const std::vector<Leaf>& outputs);
  llvm::Value* output_of(int instance, int field);
  void drive(int instance, int field, llvm::Value* value);

 private:
  Machine& machine_;
  llvm::IRBuilder<>& builder_;
  std::map<int, llvm::Value*> inputs_;
  std::map<std::pair<int, int>, llvm::Value*> outputs_;
};

}  // namespace systole::compiler
