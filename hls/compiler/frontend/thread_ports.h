#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hls/compiler/frontend/layout.h"

namespace systole::compiler {

/// Where one leaf of a parameter is: an input of the module or a register; neither if only the
/// native run has it.
struct ThreadLeaf {
  int input = -1;
  int reg = -1;
};

struct ThreadPort {
  std::string name;
  std::vector<Leaf> leaves;         ///< of the parameter's type, which pointers address
  std::vector<ThreadLeaf> targets;  ///< one for each leaf
};

/// What a thread can wait for beside the clock: a parameter or a part of one.
struct ThreadStream {
  std::string name;               ///< "bytes", "table_read_enable"
  int parameter = 0;              ///< whose it is
  std::int64_t offset_bytes = 0;  ///< where in the parameter
  int input =
      -1;  ///< valid or ready, as an index of inputs; -1 for a strobe, which takes one clock
  int output = -1;  ///< ready, valid or the strobe, as an index of outputs
};

/// The boundary of a thread `Thread f(StreamIn<A>& a, StreamOut<B>& b, const C& c, D& d)`. Inputs
/// and outputs are in the order of the parameters, as in Process<&f>::Inputs and Outputs. A
/// parameter of thread_ends.h is several: each of its members is a stream, a strobe, a driven wire
/// or a register.
struct ThreadPorts {
  std::vector<ThreadPort> parameters;
  std::vector<ThreadStream> streams;
  std::vector<Leaf> inputs;
  std::vector<Leaf> outputs;
  std::vector<Leaf> registers;          ///< the ports' own; output i of a register shows it
  std::vector<int> register_of_output;  ///< by output; -1 for a handshake or strobe
};

/// Reads a thread's parameters from debug information.
///
/// Errors   Refusal for a parameter that is none of those
ThreadPorts thread_ports(const llvm::DISubprogram& thread);

}  // namespace systole::compiler
