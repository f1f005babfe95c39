#pragma once

#include <string>
#include <vector>

#include "hls/compiler/frontend/thread_ports.h"

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace systole::compiler {

/// What a state waits for.
enum class WaitKind { kClock, kPop, kPush, kEnd };

/// One co_await of a thread.
struct ThreadState {
  std::string name;  ///< "StRow", from the label of the loop around it
  WaitKind kind = WaitKind::kClock;
  int stream = -1;       ///< the parameter that is popped or pushed
  std::string position;  ///< "dma.h:12"
  /// What happens at the edge that ends the wait: values of ports (kReadPort) and registers
  /// (kReadRegister), and kStore where registers change; straight on and in branches, no loop.
  llvm::Function* edge = nullptr;
};

/// A thread ready for emission. The last register holds the number of the state.
struct LoweredThread {
  std::string name;  ///< as the source spells it
  ThreadPorts ports;
  std::vector<Leaf> registers;  ///< the ports' own, then what is kept over waits, then the state
  std::vector<ThreadState> states;
  llvm::Function* reset = nullptr;  ///< kStore of constants only

  int state_register() const { return static_cast<int>(registers.size()) - 1; }
};

/// Lowers a thread `Thread f(StreamIn<A>&, StreamOut<B>&, ...)` to its states. `program` is clang's
/// output and is changed: give each thread a clone.
///
/// Errors   Refusal with the position of whatever is outside the language
LoweredThread lower_thread(llvm::Module& program, const std::string& function);

}  // namespace systole::compiler
