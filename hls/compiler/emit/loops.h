#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace llvm {
class BasicBlock;
class Function;
class Loop;
class PHINode;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// A SystemVerilog loop: for (i = start; ...; i += step), `trips` times.
struct CountedLoop {
  llvm::BasicBlock* header = nullptr;
  llvm::BasicBlock* latch = nullptr;
  llvm::BasicBlock* exit = nullptr;
  llvm::PHINode* variable = nullptr;
  std::int64_t start = 0;
  std::int64_t step = 1;
  std::int64_t trips = 0;
};

/// "for (int unsigned i = 0; i < 4; i++)".
///
/// Errors   Refusal for a counter that falls below 0 before its last step
std::string head_of(const CountedLoop& loop, const std::string& counter);

/// Analyses the function's control flow once.
class ControlFlow {
 public:
  explicit ControlFlow(llvm::Function& function);
  ~ControlFlow();

  /// The loop that starts at this block, or null.
  const CountedLoop* loop_at(const llvm::BasicBlock* block) const;
  /// Where the two ways of the branch at the end of `block` meet again.
  llvm::BasicBlock* join_of(const llvm::BasicBlock* block) const;
  /// Whether every path to `below` passes `above`.
  bool dominates(const llvm::BasicBlock* above, const llvm::BasicBlock* below) const;
  /// Whether the branches above `block` imply this value of the condition.
  bool is_known(const llvm::Value& condition, bool value, const llvm::BasicBlock* block) const;
  /// The join's value on every path from `block`, which ends in a branch; null if they differ. LLVM
  /// writes a constant for a value that a branch on the path has tested.
  const llvm::Value* value_of_all(const llvm::PHINode& join, const llvm::BasicBlock* block) const;
  bool in_loop(const llvm::BasicBlock* block) const;
  /// Whether the block is reached on every clock, exactly once.
  bool always_runs(const llvm::BasicBlock* block) const;

 private:
  struct Analyses;
  std::unique_ptr<Analyses> analyses_;
  std::map<const llvm::BasicBlock*, CountedLoop> loops_;
};

}  // namespace systole::compiler
