#pragma once

#include <memory>
#include <vector>

#include "hls/compiler/lower/lower_thread.h"

namespace llvm {
class AllocaInst;
class Argument;
class Function;
}  // namespace llvm

namespace systole::compiler {

/// Rewrites what one state of a thread reads and writes: ports become kReadPort, registers
/// kReadRegister and, where they are written, kStore. A register that is read after it was written
/// is the written value.
class RegisterAccesses {
 public:
  RegisterAccesses(llvm::Function& edge, const std::vector<Leaf>& registers);
  ~RegisterAccesses();

  /// A variable that stands for the register `leaf`.
  void lower_variable(llvm::AllocaInst& memory, int leaf);
  /// A parameter of the thread.
  ///
  /// Errors   Refusal for a write to an input, a part of a value, or an index that varies
  void lower_port(llvm::Argument& parameter, const ThreadPort& port);
  /// Call once, last.
  void finish();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Removes the stores that write back what the register holds, and those that a later store in the
/// same block replaces.
void drop_writes_of_same(llvm::Function& edge);

/// Removes the stores of registers that no state reads before it writes them, on the way on which
/// the store stands; a register without stores disappears from the text.
void drop_dead_registers(LoweredThread& thread);

/// Keeps of each register that is carried over waits only the bits that a state uses.
void narrow_registers(LoweredThread& thread);

}  // namespace systole::compiler
