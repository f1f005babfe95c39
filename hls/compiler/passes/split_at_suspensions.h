#pragma once

#include <string>
#include <vector>

namespace llvm {
class AllocaInst;
class BasicBlock;
class CallInst;
class Function;
}  // namespace llvm

namespace systole::compiler {

/// What sequential code keeps while it waits.
struct Suspensions {
  std::vector<llvm::CallInst*> calls;      ///< in the order of the source
  std::vector<llvm::BasicBlock*> resumed;  ///< by suspension: the block that runs next
  std::vector<llvm::AllocaInst*> carried;  ///< a value that is set before a wait and used after
};

/// Ends a block at every suspension, and gives each value that is used after one its own variable.
/// A cast of such a value is recomputed instead.
///
/// before  %x = ...                      after  %x = ...; store %x, %x.reg
///         call @hls.suspend()                  call @hls.suspend(); br %resumed
///         use %x                               resumed: %x.again = load %x.reg; use %x.again
///
/// Errors   Refusal for a reference kept over a wait
Suspensions split_at_suspensions(llvm::Function& function);

/// A copy of the function with one state's work only: from `start` (null: the function's own start)
/// to the next suspension, whose number it stores in `next_state` before it returns.
///
/// Limits   call after split_at_suspensions
/// Errors   Refusal for a loop that can run without a wait
struct StateFunction {
  llvm::Function* body = nullptr;
  std::vector<llvm::AllocaInst*> carried;  ///< the same variables, in the copy
  llvm::AllocaInst* next_state = nullptr;
};
StateFunction extract_state(llvm::Function& function, const Suspensions& suspensions,
                            const llvm::BasicBlock* start, const std::string& name,
                            unsigned state_bits);

}  // namespace systole::compiler
