#pragma once

#include <string>
#include <vector>

#include "hls/compiler/prove/circuit.h"

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

/// Something a run must never do, and when it would: a shift by the width, a signed overflow, an
/// index outside its array.
struct Undefined {
  Signal when = kFalse;
  std::string what;  ///< "file.h:12: an index outside its array"
};

/// An argument of a pure function.
struct Argument {
  std::string name;
  Bits bits;
};

/// What a pure function computes.
struct FunctionMeaning {
  std::string name;
  std::vector<Argument> arguments;
  Bits result;
  std::vector<Undefined> undefined;
};

/// Runs a function as clang emits it, before any pass, on gates instead of numbers.
///
/// Both sides of a branch run and their results are chosen between; a loop runs while its condition
/// is the constant true. Padding bits of the arguments and memory that was never set are inputs of
/// their own, so that what is proved does not depend on them.
///
/// Errors   Refusal for what has no meaning here: floating point, a loop with a variable bound
FunctionMeaning execute(const llvm::Function& function, Circuit& circuit);

}  // namespace systole::compiler
