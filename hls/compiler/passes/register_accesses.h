#pragma once

#include <memory>
#include <vector>

#include "hls/compiler/frontend/thread_ports.h"

namespace llvm {
class AllocaInst;
class Argument;
class Function;
}  // namespace llvm

namespace systole::compiler {

/// Rewrites the reads and writes of one state of a thread: ports become kReadPort, registers
/// kReadRegister and kStore. A register read after a write has the written value.
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

}  // namespace systole::compiler
