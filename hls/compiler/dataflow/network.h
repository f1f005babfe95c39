#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class Function;
class Instruction;
class Module;
}  // namespace llvm

namespace systole::compiler {

/// What a call in a dataflow() function hands to a parameter of the function that it calls.
struct NetworkArgument {
  enum class Kind {
    kParameter,  ///< a parameter of the whole
    kChannel,    ///< a local array or stream
    kValue,      ///< a number: `first` in the first run, `step` more in each that follows
  };
  Kind kind = Kind::kParameter;
  std::string port;  ///< the parameter's name
  int number = -1;   ///< of the parameter of the whole, or of the channel
  std::int64_t first = 0;
  std::int64_t step = 0;
};

/// A call: a function over arrays that runs beside the others.
struct NetworkProcess {
  std::string name;      ///< of the function, as the source spells it
  std::string function;  ///< the same, mangled
  std::string position;  ///< of the call, "idct.h:40"
  std::vector<NetworkArgument> arguments = {};
};

/// A local array or stream that one process fills and one empties.
struct NetworkChannel {
  std::string name;
  std::string position;
  bool is_stream = false;
  std::int64_t words = 0;  ///< of one array, or places of the queue
  unsigned width = 0;      ///< of a word; known once its processes are compiled
  int writer = -1;         ///< processes
  int reader = -1;
  std::string writer_port = "";
  std::string reader_port = "";
};

/// A function whose body says dataflow(): its calls, in order, and what they hand to each other.
struct Network {
  std::string name;
  std::string position;
  std::vector<std::string> parameters;
  std::vector<NetworkProcess> processes;
  std::vector<NetworkChannel> channels;
  std::int64_t runs = 1;  ///< of every process: the iterations of the loop around the calls

  /// Banks of an array: processes of two runs need two, to work at the same time.
  int banks() const { return runs > 1 ? 2 : 1; }
};

/// The call of dataflow() in the function's body; null for none.
const llvm::Instruction* dataflow_call(const llvm::Function& function);

/// Reads the calls of a dataflow() function from clang's IR, which it changes: pass a clone.
///
/// Errors   Refusal for anything in it that is no call, no local array or stream, and no loop of a
///          constant length around all calls
Network read_network(llvm::Module& program, llvm::Function& function);

}  // namespace systole::compiler
