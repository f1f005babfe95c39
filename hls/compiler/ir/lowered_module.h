#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hls/compiler/frontend/layout.h"

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

/// A submodule's ports, from its clock() and outputs().
struct Instance {
  std::string clock_function;
  bool is_reset = false;         ///< by its parent's reset()
  bool shows_registers = false;  ///< by outputs(); otherwise its outputs may depend on its inputs
  std::vector<Leaf> inputs;
  std::vector<Leaf> outputs;
  std::map<std::int64_t, std::vector<Leaf>> words = {};  ///< leaves of an output that is one vector
};

/// The pure function inside a pipeline and its number of stages.
struct PipelineUse {
  std::string function;
  int stages = 0;
};

/// A clocked module. Lowered, its clock() and reset() contain only integer operations and the calls
/// of operations.h: no pointer, no local memory, no other call.
struct LoweredModule {
  llvm::Function* clock = nullptr;
  llvm::Function* reset = nullptr;           ///< null if nothing is reset
  llvm::Function* outputs_method = nullptr;  ///< null once join_outputs made it part of clock()
  std::vector<Leaf> state;
  std::vector<Leaf> inputs;
  std::vector<Leaf> outputs;
  std::map<int, Instance> instances;     ///< by index into state
  std::map<int, PipelineUse> pipelines;  ///< by index into state

  /// clock() and, if present, reset().
  std::vector<llvm::Function*> edges() const {
    return reset ? std::vector{clock, reset} : std::vector{clock};
  }
};

/// A pure function `T f(const A&, const B&...)`. Lowered, it is one straight-line block: its
/// arguments are kReadPort (leaf 0, 1, ...), its result kWritePort leaf 0.
struct LoweredFunction {
  llvm::Function* body = nullptr;
  std::string name;  ///< as the source spells it
  std::vector<Leaf> arguments;
  std::vector<Leaf> result;
};

}  // namespace systole::compiler
