#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hls/compiler/report/report.h"

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
    kChannel,    ///< a local array or stream, or a value that another call sets
    kValue,      ///< a number: `first` in the first run, `step` more in each that follows
    kSet,        ///< a local variable as another call leaves it, which gets it in `place`
    kUnknown,    ///< a local variable whose value nobody knows
  };
  Kind kind = Kind::kParameter;
  std::string port;  ///< the parameter's name
  int number = -1;   ///< of the parameter of the whole, the channel, or the call that sets it
  int place = -1;
  std::int64_t first = 0;
  std::int64_t step = 0;
  std::string variable = "";  ///< the local variable that it is
  bool is_earlier = false;    ///< also as an iteration before has left it
};

/// A call: a function over arrays that runs beside the others.
struct NetworkProcess {
  std::string name;      ///< of the function, as the source spells it
  std::string function;  ///< the same, mangled
  std::string position;  ///< of the call, "idct.h:40"
  std::string place;     ///< the same with its column
  std::vector<NetworkArgument> arguments = {};
};

/// A local array, stream or scalar that one process fills and one empties.
struct NetworkChannel {
  std::string name;
  std::string position;
  ChannelKind kind = ChannelKind::kArray;
  std::int64_t words = 0;   ///< of one array, or places of the queue
  unsigned width = 0;       ///< of a word; known once its processes are compiled
  bool is_in_loop = false;  ///< a new one in every run, as one outside of a loop is in its only run
  bool may_leave = false;   ///< a stream: that a run pops all that it pushes is not known
  bool may_be_short = false;  ///< a stream: that its places suffice is not proved
  int writer = -1;            ///< processes
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

  /// Whether what a run leaves in the channel is gone in the next one, as in C++.
  bool is_fresh(const NetworkChannel& channel) const { return channel.is_in_loop || runs == 1; }

  /// Banks of an array: processes of two runs need two, to work at the same time.
  int banks() const { return runs > 1 ? 2 : 1; }
};

/// The call of dataflow() in the function's body; null for none.
const llvm::Instruction* dataflow_call(const llvm::Function& function);

/// The user's functions that it calls.
std::vector<std::string> called_functions(const llvm::Function& function);

/// Reads the calls of a dataflow() function from clang's IR, which it changes: pass a clone.
///
/// Errors   Refusal for anything in it that is no call, no local array or stream, and no loop of a
///          constant length around all calls
Network read_network(llvm::Module& program, llvm::Function& function);

}  // namespace systole::compiler
