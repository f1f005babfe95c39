#pragma once

#include <string>
#include <vector>

#include "hls/compiler/frontend/thread_ports.h"

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

/// What a state waits for.
enum class WaitKind { kClock, kPop, kPush, kStrobe, kEnd };

/// One co_await of a thread.
struct ThreadState {
  std::string name;  ///< "StRow", from the label of its wait or of the loop around it
  WaitKind kind = WaitKind::kClock;
  int stream = -1;       ///< of ports.streams: what is popped, pushed or set
  std::string position;  ///< "dma.h:12"
  /// The work at the edge that ends the wait: reads of ports (kReadPort) and registers
  /// (kReadRegister), and kStore for changed registers; with branches but without loops.
  llvm::Function* edge = nullptr;
};

/// A thread `Thread f(StreamIn<A>&, StreamOut<B>&, ...)`. Lowered, each wait is a state; the last
/// register holds the number of the current one.
struct LoweredThread {
  std::string name;  ///< as the source spells it
  ThreadPorts ports;
  std::vector<Leaf> registers;  ///< the ports' own, the values kept over waits, the state
  std::vector<ThreadState> states;
  llvm::Function* reset = nullptr;  ///< kStore of constants only

  /// Every state's edge, then the reset.
  std::vector<llvm::Function*> edges() const {
    std::vector<llvm::Function*> functions;
    for (const ThreadState& state : states) functions.push_back(state.edge);
    functions.push_back(reset);
    return functions;
  }
  int state_register() const { return static_cast<int>(registers.size()) - 1; }
};

}  // namespace systole::compiler
