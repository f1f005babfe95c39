#pragma once

#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/PassManager.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace llvm {
class BasicBlock;
class DominatorTree;
class Function;
class LazyValueInfo;
class PHINode;
class ScalarEvolution;
}  // namespace llvm

namespace systole::compiler {

/// Ranges of a function's integers, from the loops that count them, the conditions around a place,
/// and those that choose a value: also conditions as the type layer's `<=>` leaves them, before
/// anything has combined them. The function must not change in between.
class ValueRanges {
 public:
  explicit ValueRanges(llvm::Function& function);

  /// Whether the value, read as unsigned, is below the limit wherever the place is reached.
  bool below(llvm::Instruction& place, llvm::Value* value, std::uint64_t limit);

 private:
  void assume_branches_to(const llvm::BasicBlock& block);
  void assume_edge(const llvm::BasicBlock& from, const llvm::BasicBlock& to);
  llvm::ConstantRange at(llvm::Instruction& place, llvm::Value* value, int depth = 0);
  llvm::ConstantRange joined(llvm::PHINode& phi, int depth);

  const llvm::DataLayout& layout_;
  llvm::FunctionAnalysisManager analyses_;
  llvm::ScalarEvolution* evolution_ = nullptr;
  llvm::LazyValueInfo* values_ = nullptr;
  llvm::DominatorTree* dominators_ = nullptr;
  std::vector<std::pair<llvm::Value*, bool>> assumed_;
};

}  // namespace systole::compiler
