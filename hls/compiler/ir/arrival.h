#pragma once

#include <llvm/IR/IRBuilder.h>

#include <map>
#include <set>

namespace llvm {
class BasicBlock;
class PHINode;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// The value of a phi for control that comes from the end of a block above: a chain of selects on
/// the branches between the two, none of which may be a loop's. Paths that bypass the phi do not
/// matter.
class Arrival {
 public:
  /// `above` dominates the phi's block.
  Arrival(llvm::PHINode& phi, llvm::BasicBlock& above, llvm::IRBuilderBase& builder);

  /// Errors   Refusal for control flow other than branches
  llvm::Value* value() { return from(&above_); }

 private:
  llvm::Value* from(llvm::BasicBlock* block);
  /// Null if control does not reach the phi.
  llvm::Value* along(llvm::BasicBlock* block, llvm::BasicBlock* next);

  llvm::PHINode& phi_;
  llvm::BasicBlock& above_;
  llvm::IRBuilderBase& builder_;
  std::set<const llvm::BasicBlock*> between_;
  std::map<const llvm::BasicBlock*, llvm::Value*> known_;
};

}  // namespace systole::compiler
