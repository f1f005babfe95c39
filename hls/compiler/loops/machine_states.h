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

/// When each clock of each block is: the state, and for loops whose iterations overlap a bit for
/// each iteration under way and the clock between two of them.
class MachineStates {
 public:
  MachineStates(const llvm::Function& body,
                const std::map<const llvm::BasicBlock*, BlockSchedule>& schedules,
                LoweredModule& module, MachineRegisters& registers, llvm::IRBuilder<>& builder);

  /// Whether the machine is idle.
  llvm::Value* is_idle() { return state_is(0); }
  /// Whether the machine is in the block's clock, or anywhere in a loop that overlaps.
  llvm::Value* is_in(const BlockSchedule& schedule, int clock = 0);
  /// Whether the block, or the iteration that started this many clocks ago, is in this clock.
  llvm::Value* active(const BlockSchedule& schedule, int clock);

  void go_idle(llvm::Value* when);
  /// Starts a block, or the first iteration of a loop.
  void enter(const llvm::BasicBlock& block, llvm::Value* when);
  void step(const BlockSchedule& schedule, int clock);

  // ---- Loops whose iterations overlap ----

  /// Moves the phase and the valid bits; a new iteration starts where `goes_on` is set in the last
  /// clock of an interval.
  void turn(const BlockSchedule& schedule, llvm::Value* goes_on);
  llvm::Value* valid(const BlockSchedule& schedule, int stage);
  /// Whether no iteration younger than the oldest is under way.
  llvm::Value* is_last(const BlockSchedule& schedule);
  void stop(const BlockSchedule& schedule, llvm::Value* when);

  /// The registers that reset clears.
  std::vector<int> control() const;

 private:
  void number_states(const llvm::Function& body);
  const llvm::DICompositeType* state_type(const std::vector<std::string>& names);
  llvm::Value* state_is(int number);
  llvm::Value* state_value(int number);
  llvm::Value* phase_is(const BlockSchedule& schedule, int phase);
  int valid_register(const BlockSchedule& schedule);
  int phase_register(const BlockSchedule& schedule);
  int named_register(std::map<const llvm::BasicBlock*, int>& which, const BlockSchedule& schedule,
                     const char* suffix, unsigned width);

  const std::map<const llvm::BasicBlock*, BlockSchedule>& schedules_;
  LoweredModule& module_;
  MachineRegisters& registers_;
  llvm::IRBuilder<>& builder_;
  int state_ = 0;
  unsigned state_width_ = 1;
  std::map<const llvm::BasicBlock*, int> state_of_;
  std::map<const llvm::BasicBlock*, std::string> block_names_;
  std::map<const llvm::BasicBlock*, int> valid_;  ///< registers
  std::map<const llvm::BasicBlock*, int> phase_;
  std::map<int, llvm::Value*> state_tests_;
  std::map<std::pair<const llvm::BasicBlock*, int>, llvm::Value*> active_;
  std::map<std::pair<const llvm::BasicBlock*, int>, llvm::Value*> valid_bits_;
  std::map<std::pair<const llvm::BasicBlock*, int>, llvm::Value*> phase_tests_;
};

}  // namespace systole::compiler
