#pragma once

#include <map>
#include <set>
#include <vector>

namespace llvm {
class BasicBlock;
}  // namespace llvm

namespace systole::compiler {

struct LoweredThread;

/// Which of the registers that a thread keeps over waits hold a value that some state still reads.
class LiveRegisters {
 public:
  explicit LiveRegisters(const LoweredThread& thread);

  /// By state, while it waits.
  const std::vector<std::set<int>>& by_state() const { return waiting_; }
  /// At the end of a block of an edge: those that the next state needs and no later block writes.
  const std::set<int>& after(const llvm::BasicBlock& block) const { return after_.at(&block); }

 private:
  const std::set<int>& find_after(const llvm::BasicBlock& block);
  std::set<int> before(const llvm::BasicBlock& block);

  const LoweredThread& thread_;
  std::vector<std::set<int>> waiting_;
  std::map<const llvm::BasicBlock*, std::set<int>> after_;
};

}  // namespace systole::compiler
