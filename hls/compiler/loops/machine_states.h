#pragma once

#include <llvm/IR/IRBuilder.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/loops/block_schedule.h"
#include "hls/compiler/loops/machine_registers.h"

namespace systole::compiler {

/// When each clock of each block is: one bit for each of its clocks, or for each iteration under
/// way where they overlap, with the clock between two of them. Bits move on by themselves, so that
/// nothing is decoded and no state is encoded.
class MachineStates {
 public:
  MachineStates(const llvm::Function& body,
                const std::map<const llvm::BasicBlock*, BlockSchedule>& schedules,
                MachineRegisters& registers, llvm::IRBuilder<>& builder);

  llvm::Value* is_idle();
  void leave_idle(llvm::Value* when);
  void go_idle(llvm::Value* when);
  /// Whether the block, or the iteration that started this many clocks ago, is in this clock.
  llvm::Value* active(const BlockSchedule& schedule, int clock);
  /// Starts a block, or the first iteration of a loop.
  void enter(const llvm::BasicBlock& block, llvm::Value* when);

  // ---- Loops whose iterations overlap ----

  /// An iteration starts where this is set in the last clock of an interval.
  void start_again(const BlockSchedule& schedule, llvm::Value* when);
  llvm::Value* valid(const BlockSchedule& schedule, int stage);
  /// Whether no iteration younger than the oldest is under way.
  llvm::Value* is_last(const BlockSchedule& schedule);
  /// The oldest iteration has ended, and is the last one.
  void stop(const BlockSchedule& schedule, llvm::Value* when);

  /// Moves all bits, when everything above is said.
  void finish();
  /// The registers that reset clears.
  std::vector<int> control() const;

 private:
  struct Block {
    const BlockSchedule* schedule = nullptr;
    int bits = 0;         ///< a register
    int phase = -1;       ///< a register, where an interval has several clocks
    llvm::Value* starts;  ///< from elsewhere
    llvm::Value* again = nullptr;
    llvm::Value* stops = nullptr;
  };

  Block& of(const BlockSchedule& schedule) { return blocks_[number_.at(schedule.block)]; }
  void number_blocks(const llvm::Function& body);
  llvm::Value* bit(const Block& block, int number);
  llvm::Value* phase_is(const Block& block, int phase);
  void move(const Block& block);

  const std::map<const llvm::BasicBlock*, BlockSchedule>& schedules_;
  MachineRegisters& registers_;
  llvm::IRBuilder<>& builder_;
  int busy_ = 0;
  std::vector<Block> blocks_;
  std::map<const llvm::BasicBlock*, std::size_t> number_;
  std::map<std::pair<int, int>, llvm::Value*> bits_;    ///< by register
  std::map<std::pair<int, int>, llvm::Value*> phases_;  ///< tests, by register
  std::map<std::pair<const llvm::BasicBlock*, int>, llvm::Value*> active_;
};

}  // namespace systole::compiler
