#pragma once

#include <string>
#include <vector>

#include "hls/compiler/frontend/layout.h"

namespace systole::compiler {

/// A parameter of a thread: what it is at the boundary of the thread's module.
enum class ThreadPortKind {
  kStreamIn,   ///< StreamIn<T>&: valid and data come in, ready goes out
  kStreamOut,  ///< StreamOut<T>&: valid and data go out, ready comes in
  kWire,       ///< const T&: an input
  kRegister,   ///< T&: an output register
};

/// Where one leaf of a parameter is: an input of the module or a register; neither if only the
/// native run has it.
struct ThreadLeaf {
  int input = -1;
  int reg = -1;
};

struct ThreadPort {
  ThreadPortKind kind = ThreadPortKind::kWire;
  std::string name;
  std::vector<Leaf> leaves;         ///< of the parameter's type, which pointers address
  std::vector<ThreadLeaf> targets;  ///< one for each leaf
  int handshake_input = -1;         ///< of a stream: valid or ready, as an index of inputs
  int handshake_output = -1;        ///< of a stream: ready or valid, as an index of outputs
};

/// The boundary of a thread `Thread f(StreamIn<A>& a, StreamOut<B>& b, const C& c, D& d)`. Inputs
/// and outputs are in the order of the parameters, as in Process<&f>::Inputs and Outputs.
struct ThreadPorts {
  std::vector<ThreadPort> parameters;
  std::vector<Leaf> inputs;
  std::vector<Leaf> outputs;
  std::vector<Leaf> registers;          ///< the ports' own; output i of a register shows it
  std::vector<int> register_of_output;  ///< by output; -1 for a handshake
};

/// Reads a thread's parameters from debug information.
///
/// Errors   Refusal for a parameter that is none of the four
ThreadPorts thread_ports(const llvm::DISubprogram& thread);

}  // namespace systole::compiler
