#pragma once

#include <llvm/IR/IRBuilder.h>

#include <map>

namespace llvm {
class BasicBlock;
class PHINode;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// The value with which control that stands at the end of a block arrives in a phi: a chain of
/// selects on the branches between the two, none of which may be a loop's.
class Arrival {
 public:
  Arrival(llvm::PHINode& phi, llvm::IRBuilderBase& builder) : phi_(phi), builder_(builder) {}

  /// Errors   Refusal for control flow other than branches
  llvm::Value* from(llvm::BasicBlock* block);

 private:
  llvm::Value* along(llvm::BasicBlock* block, llvm::BasicBlock* next);

  llvm::PHINode& phi_;
  llvm::IRBuilderBase& builder_;
  std::map<llvm::BasicBlock*, llvm::Value*> known_;
};

}  // namespace systole::compiler
