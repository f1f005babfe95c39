#pragma once

#include <map>
#include <string>
#include <vector>

#include "hls/compiler/frontend/layout.h"

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace systole::compiler {

/// A submodule's ports, as its own clock() and outputs() declare them.
struct Instance {
  std::string clock_function;
  bool is_reset = false;         ///< by its parent's reset()
  bool shows_registers = false;  ///< by outputs(); otherwise its outputs may depend on its inputs
  std::vector<Leaf> inputs;
  std::vector<Leaf> outputs;
};

/// The pure function inside a pipeline and how many stages it gets.
struct PipelineUse {
  std::string function;
  int stages = 0;
};

/// A clocked module ready for emission: clock() and reset() hold only integer operations and the
/// calls of operations.h; no pointer, no local memory, no call is left.
struct LoweredModule {
  llvm::Function* clock = nullptr;
  llvm::Function* reset = nullptr;  ///< null where nothing is reset
  std::vector<Leaf> state;
  std::vector<Leaf> inputs;
  std::vector<Leaf> outputs;
  std::map<int, Instance> instances;     ///< by index into state
  std::map<int, PipelineUse> pipelines;  ///< by index into state
};

/// Lowers one clocked module. `program` is clang's output and is changed: give each module a clone.
///
/// before  %p = getelementptr %PE, ptr %pe, i64 %i, i32 1      after  %v = call i16 @hls.load(3,
/// %i)
///         %v = load i16, ptr %p
///
/// Errors   Refusal with the position of whatever is outside the language
LoweredModule lower_module(llvm::Module& program, const std::string& clock_function,
                           const std::string& reset_function);

/// Lowers a pure function `T f(const A&, const B&...)` to one straight-line block: its arguments
/// are kReadPort (leaf 0, 1, ...), its result kWritePort leaf 0.
struct LoweredFunction {
  llvm::Function* body = nullptr;
  std::string name;  ///< as the source spells it
  std::vector<Leaf> arguments;
  std::vector<Leaf> result;
};
LoweredFunction lower_function(llvm::Module& program, const std::string& function);

}  // namespace systole::compiler
